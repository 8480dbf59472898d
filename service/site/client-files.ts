import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLIENT_FILES } from './addresses/client-paths.js';
import { clientBuildOptions, type ClientEntry } from '../kernel/html/bundle-client.js';
import type { ClientAddresses } from '../kernel/html/layout.js';

/** The sources, or what `npm run build` has bundled from them. */
const FOLDER = new URL('../client/', import.meta.url);

/** A script or a style sheet. */
export interface ClientFile {
  readonly type: string;
  readonly body: Buffer;
  /** Whether the address of this file always leads to this content. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * The scripts and style sheets of the pages. In development they are bundled at the first request, by esbuild.
 */
export class ClientFiles implements ClientAddresses {
  /** Changes with every change of a file. */
  private readonly version: string;
  private bundled: Promise<ReadonlyMap<string, Buffer>> | undefined;

  constructor(private readonly folder = FOLDER) {
    const hash = createHash('sha256');
    for (const name of readdirSync(folder).sort()) {
      hash.update(`${name}\n`).update(readFileSync(new URL(name, folder)));
    }
    this.version = hash.digest('hex').slice(0, 12);
  }

  /** The address of a script or a style sheet. */
  address(entry: ClientEntry, extension: 'js' | 'css'): string {
    return `${CLIENT_FILES.file(`${entry}.${extension}`)}?v=${this.version}`;
  }

  /**
   * Finds a file.
   * @param name with its extension
   * @param version the `v` of the address; empty for none
   * @returns undefined for an unknown name
   * @throws {Error} in development, when the sources cannot be bundled
   */
  async find(name: string, version: string): Promise<ClientFile | undefined> {
    const type = TYPES[path.extname(name)];
    this.bundled ??= this.load();
    const body = (await this.bundled).get(name);
    const isImmutable = version === this.version || /-[A-Z0-9]{8}\.\w+$/.test(name);
    return type === undefined || body === undefined ? undefined : { type, body, isImmutable };
  }

  private async load(): Promise<ReadonlyMap<string, Buffer>> {
    if (!existsSync(new URL('page.ts', this.folder))) {
      return readAll(this.folder);
    }
    const { build } = await import('esbuild');
    const { outputFiles } = await build({
      ...clientBuildOptions(this.folder),
      outdir: 'out',
      write: false,
    });
    return new Map(
      outputFiles.map((file) => [path.basename(file.path), Buffer.from(file.contents)]),
    );
  }
}

async function readAll(folder: URL): Promise<ReadonlyMap<string, Buffer>> {
  const files = readdirSync(fileURLToPath(folder)).map(
    async (name) => [name, await readFile(new URL(name, folder))] as const,
  );
  return new Map(await Promise.all(files));
}
