import * as nodeFs from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as nodePath from 'node:path';
import type { OpenPluginOptions, Plugin } from './host.js';
import { openPlugin } from './host.js';

/** A tiny plugin written by a test. */
export interface TinyPlugin {
  /** Runs as the page's only script. Without a call of entrypoints.setup one is added. */
  readonly script?: string;
  /** Inside the body. */
  readonly body?: string;
  readonly css?: string;
  readonly permissions?: Readonly<Record<string, unknown>>;
  /** Changes to the manifest. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** More files of the plugin by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Temporary folders, plugins and servers of one test, all ended by `end`. */
export class Bench {
  readonly folder = nodeFs.mkdtempSync(nodePath.join(tmpdir(), 'uxp-host-'));
  readonly #plugins: Plugin[] = [];
  readonly #servers: http.Server[] = [];

  /** Writes a plugin folder and gives its path. */
  write(plugin: TinyPlugin): string {
    const dist = nodeFs.mkdtempSync(nodePath.join(this.folder, 'dist-'));
    const manifest = {
      manifestVersion: 5,
      id: 'com.example.tiny',
      name: 'Tiny plugin',
      version: '1.2.3',
      main: 'index.html',
      host: [
        { app: 'PS', minVersion: '26.9.0' },
        { app: 'ID', minVersion: '21.0.0' },
        { app: 'premierepro', minVersion: '26.2.0' },
      ],
      entrypoints: [{ type: 'panel', id: 'tinyPanel', label: 'Tiny' }],
      requiredPermissions: plugin.permissions ?? {},
      ...plugin.manifest,
    };
    const script = plugin.script ?? '';
    const setup = `require('uxp').entrypoints.setup({ panels: { tinyPanel: { create() {} } } });`;
    const files: Record<string, string> = {
      'manifest.json': JSON.stringify(manifest),
      'index.html': `<!DOCTYPE html><html><head><link rel="stylesheet" href="panel.css"></head><body>${plugin.body ?? ''}<script src="main.js"></script></body></html>`,
      'panel.css': plugin.css ?? '',
      'main.js': script.includes('entrypoints.setup') ? script : `${setup}\n${script}`,
      ...plugin.files,
    };
    for (const [name, content] of Object.entries(files)) {
      nodeFs.writeFileSync(nodePath.join(dist, name), content);
    }
    return dist;
  }

  /** Writes and opens a plugin. */
  async open(plugin: TinyPlugin, options: Partial<OpenPluginOptions> = {}): Promise<Plugin> {
    const opened = await openPlugin({
      dist: this.write(plugin),
      storageDir: nodePath.join(this.folder, 'storage'),
      allowLoopbackHttp: true,
      ...options,
    });
    this.#plugins.push(opened);
    return opened;
  }

  /** A server on a free loopback port. @returns its origin */
  async serve(handler: http.RequestListener): Promise<string> {
    const server = http.createServer(handler);
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://localhost:${(server.address() as AddressInfo).port}`;
  }

  async end(): Promise<void> {
    for (const plugin of this.#plugins) plugin.kill();
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    nodeFs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The whole body of a request. */
export async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The text of the errors nobody in the plugin caught. */
export function uncaught(plugin: Plugin): string {
  return plugin.uncaught
    .map((error) =>
      typeof error === 'object' && error !== null && 'message' in error
        ? String(error.message)
        : String(error),
    )
    .join('\n');
}

/** Permissions of a manifest that names these origins. */
export function withNetwork(...domains: string[]): Record<string, unknown> {
  return { network: { domains } };
}
