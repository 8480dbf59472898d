import { readFileSync } from 'node:fs';
import * as nodePath from 'node:path';
import { hosts } from '../../uxp-api/index.js';
import { domainProblem, isDropped } from '../../uxp-api/network-domains.js';
import { compareVersions, isAtLeast } from '../../uxp-api/versions.js';
import type { DeclaredEntrypoint } from './modules/entrypoints.js';
import type { FileAccess } from './modules/sandbox.js';

/** The host did not load the plugin; the message has the reason. */
export class HostRefusal extends Error {
  override name = 'HostRefusal';
}

/** A creative app of one version. */
export interface HostApp {
  /** The manifest's code: PS, ID, premierepro. */
  readonly app: string;
  /** For example '26.9'. */
  readonly version: string;
  /** The UXP version it contains. */
  readonly uxpVersion: string;
  /** `uxp.host.name`. */
  readonly hostName: string;
}

/** A manifest as a host reads it: checked, with defaults. */
export interface HostManifest {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly main: string;
  readonly entrypoints: readonly DeclaredEntrypoint[];
  readonly featureFlags: ReadonlySet<string>;
  readonly domains: readonly string[] | 'all';
  readonly clipboard: 'none' | 'read' | 'readAndWrite';
  readonly localFileSystem: FileAccess;
  readonly schemes: readonly string[];
  readonly extensions: readonly string[];
  readonly allowCodeGeneration: boolean;
}

/** The app that carries a UXP version, from the documented tables; the version defaults to the newest with that UXP. */
export function hostApp(app: string, uxpVersion: string, version?: string): HostApp {
  const fact = hosts[app];
  const row = fact?.versions.findLast(([, uxp]) => compareVersions(uxp, uxpVersion) === 0);
  const known = version ?? row?.[0];
  if (fact?.hostName === undefined || known === undefined) {
    throw new Error(`no ${app} with UXP ${uxpVersion} is documented; name the version yourself`);
  }
  return { app, version: known, uxpVersion, hostName: fact.hostName };
}

/**
 * The folder of a plugin's data, secrets and localStorage. A host keeps them per major version of the app. After an
 * upgrade the plugin finds none of them, unless the app copies them. InDesign does so if the user ticks that.
 */
export function storageOf(
  storageDir: string,
  { app, version }: Pick<HostApp, 'app' | 'version'>,
): string {
  return nodePath.join(storageDir, app, version.split('.')[0] ?? '');
}

/**
 * Reads and checks manifest.json as the host does when it loads a plugin.
 * @throws HostRefusal for a manifest that a host refuses
 */
export function readManifest(dist: string, host: HostApp): HostManifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(nodePath.join(dist, 'manifest.json'), 'utf8'));
  } catch (error) {
    throw new HostRefusal(
      `manifest.json cannot be read: ${error instanceof Error ? error.message : ''}`,
    );
  }
  if (!isObject(manifest)) throw new HostRefusal('manifest.json is not an object');
  const required = (key: string): string => {
    const value = manifest[key];
    if (typeof value !== 'string' || value === '')
      throw new HostRefusal(`manifest.json: "${key}" is missing`);
    return value;
  };
  if (manifest['manifestVersion'] !== 5)
    throw new HostRefusal('manifest.json: manifestVersion must be 5');
  checkHost(manifest['host'], host);

  const permissions = objectOf(manifest['requiredPermissions']);
  const network = objectOf(permissions['network']);
  const launch = objectOf(permissions['launchProcess']);
  // An entry that is an IP address is dropped without a word, as if it were not there.
  const domains =
    network['domains'] === 'all'
      ? 'all'
      : strings(network['domains']).filter((domain) => !isDropped(domain));
  if (domains !== 'all' && isAtLeast(host.uxpVersion, '7.4')) {
    for (const domain of domains) {
      const problem = domainProblem(domain);
      if (problem !== undefined) throw new HostRefusal(`network domain "${domain}": ${problem}`);
    }
  }
  const clipboard = permissions['clipboard'];
  const files = permissions['localFileSystem'];
  return {
    id: required('id'),
    name: required('name'),
    version: required('version'),
    main: typeof manifest['main'] === 'string' ? manifest['main'] : 'main.js',
    entrypoints: entrypointsOf(manifest['entrypoints']),
    featureFlags: new Set(
      Object.entries(objectOf(manifest['featureFlags']))
        .filter(([, value]) => value !== false)
        .map(([flag]) => flag),
    ),
    domains,
    clipboard: clipboard === 'read' || clipboard === 'readAndWrite' ? clipboard : 'none',
    localFileSystem: files === 'request' || files === 'fullAccess' ? files : 'plugin',
    schemes: strings(launch['schemes']),
    extensions: strings(launch['extensions']),
    allowCodeGeneration: permissions['allowCodeGenerationFromStrings'] === true,
  };
}

function checkHost(declared: unknown, host: HostApp): void {
  const list = (Array.isArray(declared) ? declared : [declared]).map(objectOf);
  const own = list.find((entry) => entry['app'] === host.app);
  if (own === undefined) throw new HostRefusal(`manifest.json: the plugin is not for ${host.app}`);
  const { minVersion, maxVersion } = own;
  if (typeof minVersion !== 'string')
    throw new HostRefusal('manifest.json: host.minVersion is missing');
  if (!isAtLeast(host.version, minVersion)) {
    throw new HostRefusal(`the plugin needs ${host.app} ${minVersion}, this is ${host.version}`);
  }
  if (typeof maxVersion === 'string' && compareVersions(host.version, maxVersion) > 0) {
    throw new HostRefusal(
      `the plugin runs up to ${host.app} ${maxVersion}, this is ${host.version}`,
    );
  }
}

function entrypointsOf(value: unknown): DeclaredEntrypoint[] {
  if (!Array.isArray(value)) throw new HostRefusal('manifest.json: "entrypoints" is missing');
  const seen = new Set<string>();
  return (value as unknown[]).map((item) => {
    const { type, id, label } = objectOf(item);
    if ((type !== 'panel' && type !== 'command') || typeof id !== 'string') {
      throw new HostRefusal(
        'manifest.json: an entry point needs a type (panel, command) and an id',
      );
    }
    if (seen.has(id)) throw new HostRefusal(`manifest.json: entry point "${id}" twice`);
    seen.add(id);
    const text = typeof label === 'string' ? label : objectOf(label)['default'];
    if (typeof text !== 'string')
      throw new HostRefusal(`manifest.json: entry point "${id}" needs a label`);
    return { type, id, label: text };
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function strings(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === 'string')
    : [];
}
