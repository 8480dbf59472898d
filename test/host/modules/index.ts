/**
 * The modules a plugin gets from `require` in a UXP host, simulated on real folders.
 *
 * They need no vm: a unit test may hand them straight to the code that would otherwise call `require`. The strict host
 * (`../host.ts`) puts them behind the plugin's `require`.
 */
import { mkdirSync } from 'node:fs';
import * as nodePath from 'node:path';
import type { UxpModule as PluginUxpModule } from '../../../src/host/uxp/uxp-module.js';
import { Disk } from './disk.js';
import type { EntryContext } from './entries.js';
import { File, Folder, formats, modes, types } from './entries.js';
import type { DeclaredEntrypoint, EntrypointsControl } from './entrypoints.js';
import { createEntrypoints } from './entrypoints.js';
import { createFsModule } from './fs-module.js';
import type { FsModule, Unimplemented } from './fs-module.js';
import type { InDesignControl } from './indesign-module.js';
import { createInDesignModule } from './indesign-module.js';
import { Lifetime } from './lifetime.js';
import type { LocalFileSystem, PickerControl } from './local-file-system.js';
import { createLocalFileSystem, domains } from './local-file-system.js';
import type { OsModule, SimulatedPlatform } from './os-module.js';
import { createOsModule } from './os-module.js';
import type { PhotoshopControl, PhotoshopModule } from './photoshop-module.js';
import { createPhotoshopModule } from './photoshop-module.js';
import type { PremiereControl } from './premiere-module.js';
import { createPremiereModule } from './premiere-module.js';
import { callerRealm } from './realm.js';
import type { Realm } from './realm.js';
import type { FileAccess } from './sandbox.js';
import { Sandbox } from './sandbox.js';
import type { SecureStorageControl } from './secure-storage.js';
import { createSecureStorage } from './secure-storage.js';
import type { ShellControl } from './shell.js';
import { createShell } from './shell.js';
import { createStorageErrors } from './storage-errors.js';
import { createXmpModule } from './xmp-module.js';

export interface HostModulesOptions {
  /** Survives a restart: give the same folder again to reopen a plugin. Made if missing. */
  readonly storageDir: string;
  /** The plugin's own files (`plugin:/`). Default: a folder inside storageDir. */
  readonly pluginDir?: string;
  /** Default '8.4.0', the oldest version this plugin admits. */
  readonly uxpVersion?: string;
  /** `name` as `uxp.host.name` gives it. Default Photoshop 26.9 in English. */
  readonly host?: { readonly name: string; readonly version: string; readonly uiLocale: string };
  /** `version` of the manifest. Default '1.0.0'. */
  readonly pluginVersion?: string;
  /** `requiredPermissions`, as far as modules enforce them. Default: pickers, https and http in the browser. */
  readonly permissions?: {
    readonly localFileSystem?: FileAccess;
    readonly schemes?: readonly string[];
    readonly extensions?: readonly string[];
  };
  readonly entrypoints?: readonly DeclaredEntrypoint[];
  readonly platform?: SimulatedPlatform;
  /** The realm of the plugin's code. Default: the caller's. */
  readonly realm?: Realm;
  /** A property of the plugin's global object: functions that Actions call. Default: none. */
  readonly globalOf?: (name: string) => unknown;
  /** Called whenever a picker or a consent dialog opens. */
  readonly onDialog?: () => void;
}

/** `require('uxp')`, as far as it is simulated. */
interface UxpModule {
  readonly storage: {
    readonly localFileSystem: LocalFileSystem;
    readonly secureStorage: ReturnType<typeof createSecureStorage>['secureStorage'];
    readonly formats: typeof formats;
    readonly modes: typeof modes;
    readonly types: typeof types;
    readonly fileTypes: Readonly<Record<'text' | 'images' | 'all', string[]>>;
    readonly domains: typeof domains;
    readonly errors: ReturnType<typeof createStorageErrors>;
    readonly Entry: object;
    readonly File: object;
    readonly Folder: object;
  };
  readonly shell: ReturnType<typeof createShell>['shell'];
  readonly entrypoints: ReturnType<typeof createEntrypoints>['entrypoints'];
  readonly xmp: NonNullable<PluginUxpModule['xmp']>;
  readonly host: { readonly name: string; readonly version: string; readonly uiLocale: string };
  readonly versions: { readonly uxp: string; readonly plugin: string };
}

/** The test's side of the simulated host. */
export interface HostControl {
  readonly pickers: PickerControl;
  readonly shell: ShellControl;
  readonly secureStorage: SecureStorageControl;
  readonly disk: Disk;
  readonly photoshop: PhotoshopControl;
  readonly indesign: InDesignControl;
  readonly premiere: PremiereControl;
  readonly entrypoints: EntrypointsControl;
  /** Functions of `fs` that throw "Unimplemented method": at first all synchronous ones. */
  readonly unimplemented: Unimplemented;
  /** Open file descriptors of `fs`: 0 when the plugin leaks none. */
  openDescriptors(): number;
  /** Ends the run: nothing the plugin awaits settles afterwards; storage stays. */
  end(): void;
}

export interface HostModules {
  readonly uxp: UxpModule;
  readonly fs: FsModule;
  readonly os: OsModule;
  readonly photoshop: PhotoshopModule;
  /** The modules other apps have instead of Photoshop's. Strict: undocumented members throw. */
  readonly otherApps: { readonly indesign: object; readonly premierepro: object };
  readonly control: HostControl;
  readonly lifetime: Lifetime;
}

/** What a host needs besides modules, for tests without a network. */
export const NO_NETWORK = {
  createXhr: (): never => {
    throw new Error('no network here');
  },
  writeClipboard: (): Promise<void> => Promise.resolve(),
  listen: (): void => undefined,
};

/** Makes one plugin run's modules. Two runs on one `storageDir`, one after the other, are a restart. */
export function createHostModules(options: HostModulesOptions): HostModules {
  const { storageDir, uxpVersion = '8.4.0', pluginVersion = '1.0.0' } = options;
  const pluginDir = options.pluginDir ?? nodePath.join(storageDir, 'plugin');
  const access = options.permissions?.localFileSystem ?? 'request';
  const lifetime = new Lifetime(options.realm ?? callerRealm);
  const onDialog = options.onDialog ?? (() => undefined);
  mkdirSync(pluginDir, { recursive: true });

  const disk = new Disk();
  const sandbox = new Sandbox(pluginDir, storageDir, access);
  const errors = createStorageErrors(lifetime.realm);
  const context: EntryContext = {
    lifetime,
    disk,
    errors,
    provider: () => files.localFileSystem,
    urlOf: (nativePath) => sandbox.urlOf(nativePath),
  };
  const files = createLocalFileSystem(
    context,
    sandbox,
    access,
    onDialog,
    nodePath.join(storageDir, 'persistent-tokens.jsonl'),
  );
  const secure = createSecureStorage(
    nodePath.join(storageDir, 'secure-storage.json'),
    uxpVersion,
    lifetime,
  );
  const shell = createShell(
    {
      schemes: options.permissions?.schemes ?? ['https', 'http'],
      extensions: options.permissions?.extensions ?? [],
    },
    lifetime,
    onDialog,
  );
  const entries = createEntrypoints(lifetime.realm, options.entrypoints);
  const { fs, openDescriptors, unimplemented } = createFsModule(sandbox, disk, lifetime);
  const write = (path: string, bytes: Uint8Array): void => disk.writeFile(path, bytes, 'w');
  const photoshop = createPhotoshopModule(
    lifetime,
    ({ nativePath }, bytes) => write(nativePath, bytes),
    (token) => files.localFileSystem.getEntryForSessionToken(token) as File,
    options.globalOf,
  );
  const indesign = createInDesignModule(lifetime, write);
  const premiere = createPremiereModule(lifetime, write);

  return {
    uxp: {
      storage: {
        localFileSystem: files.localFileSystem,
        secureStorage: secure.secureStorage,
        formats,
        modes,
        types,
        fileTypes: {
          text: ['txt', 'html', 'htm', 'css', 'js', 'json', 'xml', 'svg'],
          images: ['jpg', 'jpeg', 'png', 'gif', 'svg'],
          all: ['.*'],
        },
        domains,
        errors,
        Entry: {},
        File,
        Folder,
      },
      shell: shell.shell,
      entrypoints: entries.entrypoints,
      xmp: createXmpModule(lifetime.realm) as NonNullable<PluginUxpModule['xmp']>,
      host: options.host ?? { name: 'photoshop', version: '26.9.0', uiLocale: 'en_US' },
      versions: { uxp: `uxp-${uxpVersion}`, plugin: pluginVersion },
    },
    fs,
    os: createOsModule(options.platform ?? 'darwin'),
    photoshop: photoshop.photoshop,
    otherApps: { indesign: indesign.indesign, premierepro: premiere.premierepro },
    control: {
      pickers: files.control,
      shell: shell.control,
      secureStorage: secure.control,
      disk,
      photoshop: photoshop.control,
      indesign: indesign.control,
      premiere: premiere.control,
      entrypoints: entries.control,
      openDescriptors,
      unimplemented,
      end: () => lifetime.end(),
    },
    lifetime,
  };
}
