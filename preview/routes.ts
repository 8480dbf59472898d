import { readFile, realpath } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';

import { isAlias, isForOtherHost, isLoopback } from '../service/kernel/http/loopback.js';
import { makePanelPage } from './panel-page.js';
import { toBrowserBundle, toBrowserScript } from './transpile.js';

/** The folders the preview serves from, as absolute paths. */
export interface PreviewFolders {
  /** The built bundle, under `/panel/`. */
  readonly dist: string;
  /** The simulated app, under `/app/`; its TypeScript modules are served as JavaScript. */
  readonly app: string;
  /** The plugin's sources, under `/src/`: the states page runs those of the panel. */
  readonly source: string;
}

/** The script of the states page: the panel's sources, with the libraries that they use. */
const STATES = '/app/states/page.js';

/** The content types by file extension. Files of other types are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

interface Content {
  readonly type: string;
  readonly body: string | Buffer;
}

/**
 * Redirects a browser that used another name for this machine (127.0.0.1 for `localhost`) to the preview's own name,
 * because what the plugin stores in the browser belongs to one name.
 * @returns whether it did so, and so has answered
 */
export function sendToOwnName(
  { url = '', method = '', headers }: IncomingMessage,
  response: ServerResponse,
  origin: string,
): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || !url.startsWith('/') || !isAlias(origin, headers.host ?? '')) {
    return false;
  }
  response.setHeader('Location', origin + url);
  send(response, 302, plain(origin));
  return true;
}

/**
 * Refuses a request for another host, if only this machine reaches the preview: see {@link isForOtherHost}.
 * @param host the address that the preview listens on.
 * @returns whether it did so, and so has answered
 */
export function refuseOtherHost(
  { headers }: IncomingMessage,
  response: ServerResponse,
  host: string,
): boolean {
  if (!isLoopback(host) || !isForOtherHost(host, headers.host)) {
    return false;
  }
  send(response, 421, plain('The preview answers only under the names of this machine.'));
  return true;
}

/** Answers one request; never rejects. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  folders: PreviewFolders,
): Promise<void> {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  try {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      send(response, 405, plain('Only GET and HEAD.'));
      return;
    }
    const [path = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
    if (path === '/panel') {
      response.setHeader('Location', `/panel/${query === '' ? '' : `?${query}`}`);
      send(response, 302, plain('/panel/'));
      return;
    }
    const content = await find(path, query, folders);
    send(response, content === undefined ? 404 : 200, content ?? plain('Not found.'));
  } catch {
    send(response, 500, plain('The preview could not read a file.'));
  }
}

function plain(text: string): Content {
  return { type: 'text/plain; charset=utf-8', body: `${text}\n` };
}

function send(response: ServerResponse, status: number, { type, body }: Content): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

async function find(
  path: string,
  query: string,
  folders: PreviewFolders,
): Promise<Content | undefined> {
  if (path === '/') {
    return readContent(folders.app, 'index.html');
  }
  if (path === '/states') {
    return asPanelPage(await readContent(folders.app, 'states.html'), query);
  }
  if (path === '/panel/') {
    return asPanelPage(await readContent(folders.dist, 'index.html'), query);
  }
  const [, area, name] = /^\/(app|panel|src)\/(.+)$/.exec(path) ?? [];
  const relative = name === undefined ? undefined : safePath(name);
  if (relative === undefined) {
    return undefined;
  }
  if (area === 'panel') {
    return readContent(folders.dist, relative);
  }
  if (path === STATES) {
    const body = await toBrowserBundle(join(folders.app, 'states', 'page.ts'));
    return { type: String(TYPES['.js']), body };
  }
  const folder = area === 'src' ? folders.source : folders.app;
  if (!relative.endsWith('.js')) {
    return readContent(folder, relative);
  }
  for (const loader of ['ts', 'tsx'] as const) {
    const source = await readInside(folder, relative.replace(/js$/, loader));
    if (source) {
      const body = await toBrowserScript(source.toString('utf8'), loader);
      return { type: String(TYPES['.js']), body };
    }
  }
  return undefined;
}

function asPanelPage(page: Content | undefined, query: string): Content | undefined {
  return page && { type: page.type, body: makePanelPage(page.body.toString(), query) };
}

/** A path inside a folder, from the encoded path of a URL; `undefined` for anything but plain names and slashes. */
function safePath(encoded: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
  // Names that begin with a dot, `..` among them, are not served, nor is anything that needs quoting.
  const plainNames = path.split('/').every((name) => /^[\w@-][\w@. -]*$/.test(name));
  return plainNames ? path : undefined;
}

async function readContent(folder: string, relative: string): Promise<Content | undefined> {
  const type = TYPES[extname(relative)];
  const body = type === undefined ? undefined : await readInside(folder, relative);
  return type === undefined || body === undefined ? undefined : { type, body };
}

/** Reads a file that is inside `folder`, even after following symbolic links; `undefined` if there is none. */
async function readInside(folder: string, relative: string): Promise<Buffer | undefined> {
  try {
    const path = await realpath(join(folder, relative));
    if (!path.startsWith((await realpath(folder)) + sep)) {
      return undefined;
    }
    return await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') {
      return undefined;
    }
    throw error;
  }
}
