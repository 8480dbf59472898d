import * as nodePath from 'node:path';
import { mkdirSync } from 'node:fs';

/** The permission in the manifest's `requiredPermissions.localFileSystem`; default "plugin". */
export type FileAccess = 'plugin' | 'request' | 'fullAccess';

export type SandboxScheme = 'plugin' | 'plugin-data' | 'plugin-temp';

export interface ResolvedPath {
  readonly nativePath: string;
  readonly readOnly: boolean;
}

/**
 * The three folders of a plugin and the URL schemes that name them: `plugin:/` (read-only), `plugin-data:/` and
 * `plugin-temp:/`. Anything else is a `file:` path and needs `fullAccess` (manifest v5 page, file system recipes).
 */
export class Sandbox {
  readonly roots: Readonly<Record<SandboxScheme, string>>;

  /**
   * @param pluginDir the plugin's own files
   * @param storageDir what survives a restart; the data and temporary folders are made inside it
   */
  constructor(
    pluginDir: string,
    storageDir: string,
    private readonly access: FileAccess,
  ) {
    this.roots = {
      plugin: nodePath.resolve(pluginDir),
      'plugin-data': nodePath.resolve(storageDir, 'data'),
      'plugin-temp': nodePath.resolve(storageDir, 'temp'),
    };
    mkdirSync(this.roots['plugin-data'], { recursive: true });
    mkdirSync(this.roots['plugin-temp'], { recursive: true });
  }

  /** @throws Error for a path outside the sandbox without `fullAccess`, TypeError for anything but a string */
  resolve(path: unknown): ResolvedPath {
    if (typeof path !== 'string' || path === '')
      throw new TypeError('path must be a non-empty string');
    const match = /^([a-z][a-z-]+):(.*)$/i.exec(path);
    const scheme = match?.[1]?.toLowerCase() ?? 'file';
    const rest = match === null ? path : (match[2] ?? '');
    if (isSandboxScheme(scheme)) {
      const root = this.roots[scheme];
      const nativePath = nodePath.join(root, rest.replace(/^\/+/, ''));
      if (nativePath !== root && !nativePath.startsWith(root + nodePath.sep)) {
        throw denied(`"${path}" leaves the folder of ${scheme}:`);
      }
      return { nativePath: nativePath.replace(/\/$/, ''), readOnly: scheme === 'plugin' };
    }
    if (scheme !== 'file') throw denied(`unknown scheme in "${path}"`);
    if (this.access !== 'fullAccess') {
      throw denied(
        `"${path}" is outside the plugin's folders and needs the permission localFileSystem: "fullAccess"`,
      );
    }
    return { nativePath: nodePath.resolve(rest.replace(/^\/{2,}/, '/')), readOnly: false };
  }

  /** The URL an entry shows for a native path: one of the sandbox schemes, or file:. */
  urlOf(nativePath: string): string {
    for (const scheme of ['plugin-data', 'plugin-temp', 'plugin'] as const) {
      const root = this.roots[scheme];
      if (nativePath === root) return `${scheme}:/`;
      if (nativePath.startsWith(root + nodePath.sep)) {
        return `${scheme}:/${nativePath
          .slice(root.length + 1)
          .split(nodePath.sep)
          .join('/')}`;
      }
    }
    return `file:${nativePath}`;
  }
}

function isSandboxScheme(scheme: string): scheme is SandboxScheme {
  return scheme === 'plugin' || scheme === 'plugin-data' || scheme === 'plugin-temp';
}

function denied(text: string): Error {
  return Object.assign(new Error(`Permission denied: ${text}`), { code: 'EACCES' });
}
