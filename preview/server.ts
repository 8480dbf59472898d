import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { systemErrorCode } from '../service/kernel/errors.js';
import { listenAt, portOf } from '../service/kernel/http/listen.js';
import { answer, refuseOtherHost, sendToOwnName, type PreviewFolders } from './routes.js';

/** Why the preview cannot start, in one line for the user at the command line. */
export class PreviewError extends Error {
  override readonly name = 'PreviewError';
}

/** How {@link startPreview} starts the preview. */
export interface PreviewSettings {
  /** TCP port; by default 8781, and 0 for any free port. */
  readonly port?: number;
  /** Address to listen on; by default `localhost`, which is 127.0.0.1 and ::1. */
  readonly host?: string;
  /** Folder of the built bundle: index.html, main.js, panel.css, manifest.json. */
  readonly distDir: string;
}

/** A running preview. */
export interface Preview {
  /** Address of the preview page, ending with a slash. */
  readonly url: string;
  /** Ends the server and its open connections. */
  close(): Promise<void>;
}

/**
 * Serves a simulated creative app that runs the built bundle, unchanged, in its panel.
 * The bundle's files are read at each request: after a rebuild, reloading the page is enough.
 *
 * @throws {PreviewError} when there is no bundle in `distDir`, or it cannot listen on the port.
 */
export async function startPreview({
  port = 8781,
  host = 'localhost',
  distDir,
}: PreviewSettings): Promise<Preview> {
  const folders: PreviewFolders = {
    dist: resolve(distDir),
    app: join(import.meta.dirname, 'app'),
    source: join(import.meta.dirname, '..', 'src'),
  };
  await requireBundle(folders.dist, distDir);
  let origin = ''; // known when it listens
  const servers = await listen(port, host, () =>
    createServer((request, response) => {
      if (refuseOtherHost(request, response, host)) {
        return;
      }
      if (origin !== '' && sendToOwnName(request, response, origin)) {
        return;
      }
      void answer(request, response, folders);
    }),
  );
  origin = `http://${host.includes(':') ? `[${host}]` : host}:${portOf(servers[0])}`;
  return {
    url: `${origin}/`,
    close: async () => {
      for (const server of servers) {
        const closed = new Promise<void>((done) => server.close(() => done()));
        server.closeAllConnections();
        await closed;
      }
    },
  };
}

async function requireBundle(dist: string, asGiven: string): Promise<void> {
  for (const name of ['index.html', 'main.js']) {
    const found = await stat(join(dist, name)).then(
      (entry) => entry.isFile(),
      () => false,
    );
    if (!found) {
      throw new PreviewError(
        `There is no built bundle in ${asGiven} (no ${name}): run "npm run build" first.`,
      );
    }
  }
}

async function listen(
  port: number,
  host: string,
  make: () => Server,
): Promise<[Server, ...Server[]]> {
  try {
    return await listenAt(make, { port, host });
  } catch (cause) {
    const reason = listenReason(systemErrorCode(cause));
    throw new PreviewError(`The preview cannot listen on ${host}:${port}: ${reason}.`, { cause });
  }
}

function listenReason(code: string | undefined): string {
  if (code === 'EADDRINUSE') {
    return 'the port is in use, choose another one';
  }
  if (code === 'EACCES') {
    return 'the port is reserved, choose one above 1023';
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return 'this machine does not have that address';
  }
  return code ?? 'unknown reason';
}

/**
 * Reads a port given on a command line.
 *
 * @throws {PreviewError} when it is no whole number from 0 to 65535.
 */
export function parsePort(text: string, option: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535) {
    throw new PreviewError(`${option} takes a number from 0 to 65535, not "${text}".`);
  }
  return port;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8781' },
      host: { type: 'string', default: 'localhost' },
      dist: { type: 'string', default: 'dist' },
    },
  });
  const preview = await startPreview({
    port: parsePort(values.port, '--port'),
    host: values.host,
    distDir: values.dist,
  });
  console.log(`Preview: ${preview.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void preview.close());
  }
}

if (
  process.argv[1] !== undefined &&
  realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
