import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { HAS_IPV6 } from '../support/ipv6.js';
import { rawRequest, sendRaw } from '../service/attacks/raw-connection.js';
import { parsePort, startPreview, type Preview } from '../../preview/server.js';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Requests a path exactly as written: `fetch` would normalize dots. */
function ask(base: string, path: string, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((done, fail) => {
    const request = get({ hostname, port, path, method, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => (body += text));
      response.on('end', () =>
        done({ status: response.statusCode, headers: response.headers, body }),
      );
    });
    request.on('error', fail);
  });
}

const PAGE =
  '<!doctype html><html lang="en"><head><link rel="stylesheet" href="panel.css"></head>' +
  '<body><script src="main.js"></script></body></html>';

describe('the preview server', () => {
  let folder: string;
  let preview: Preview;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'preview-test-'));
    const dist = join(folder, 'dist');
    await mkdir(join(dist, 'icons'), { recursive: true });
    await writeFile(join(folder, 'secret.json'), '"secret"');
    await writeFile(join(dist, 'index.html'), PAGE);
    await writeFile(join(dist, 'main.js'), 'globalThis.bundle = "unchanged";');
    await writeFile(join(dist, 'panel.css'), 'body { margin: 0 }');
    await writeFile(join(dist, 'icons', 'panel@2x.png'), 'png');
    await writeFile(join(dist, '.env.json'), '"hidden"');
    await writeFile(join(dist, 'main.js.LICENSE.exe'), 'exe');
    await symlink(join(folder, 'secret.json'), join(dist, 'link.json'));
    preview = await startPreview({ port: 0, distDir: dist });
  });

  afterAll(async () => {
    await preview.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('serves the states page as one script, and no libraries', async () => {
    const { body } = await ask(preview.url, '/app/states/page.js');
    expect(body).toContain('showState');
    expect(body).not.toMatch(/^import /m);
    expect(await ask(preview.url, '/library/pg/lib/index.js')).toMatchObject({ status: 404 });
  });

  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/?theme=light', 'text/html; charset=utf-8'],
    ['/app/app.css', 'text/css; charset=utf-8'],
    ['/app/app.js', 'text/javascript; charset=utf-8'],
    ['/states', 'text/html; charset=utf-8'],
    ['/app/widgets/index.js', 'text/javascript; charset=utf-8'],
    ['/panel/', 'text/html; charset=utf-8'],
    ['/panel/panel.css', 'text/css; charset=utf-8'],
    ['/panel/icons/panel@2x.png', 'image/png'],
    ['/panel/icons/panel%402x.png', 'image/png'],
  ])('serves %s as %s, never cached', async (path, type) => {
    const { status, headers } = await ask(preview.url, path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('serves the bundle byte for byte', async () => {
    expect((await ask(preview.url, '/panel/main.js')).body).toBe(
      'globalThis.bundle = "unchanged";',
    );
  });

  it('compiles its own modules to JavaScript for the browser', async () => {
    const { body } = await ask(preview.url, '/app/options.js');
    expect(body).toContain('export function readOptions');
    expect(body).not.toContain('export interface');
  });

  it.each([
    '/../secret.json',
    '/panel/../secret.json',
    '/panel/../../secret.json',
    '/panel/%2e%2e/secret.json',
    '/panel/..%2fsecret.json',
    '/panel/%2e%2e%2fsecret.json',
    '/panel/..%5csecret.json',
    '/panel/icons/../main.js',
    '/panel//main.js',
    '/panel/main.js%00.css',
    '/panel/main.js/',
    '/panel/%ZZ',
    '/panel/.env.json',
    '/panel/link.json',
    '/panel/icons',
    '/panel/main.js.LICENSE.exe',
    '/panel/missing.js',
    '/app/app.ts',
    '/app/../server.js',
    '/app/../../package.json',
    '/app/widgets',
    '/app/',
    '/dist/main.js',
    '/package.json',
    '//panel/main.js',
    'http://elsewhere.example/panel/main.js',
  ])('does not serve %s', async (path) => {
    const { status, body } = await ask(preview.url, path);
    expect(status).toBe(404);
    expect(body).toBe('Not found.\n');
  });

  it('redirects the panel without a slash, with its query', async () => {
    const { status, headers } = await ask(preview.url, '/panel?theme=dark');
    expect(status).toBe(302);
    expect(headers.location).toBe('/panel/?theme=dark');
  });

  it('answers HEAD without a body and refuses writes', async () => {
    const head = await ask(preview.url, '/panel/main.js', 'HEAD');
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', '32']);
    const post = await ask(preview.url, '/panel/main.js', 'POST');
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('redirects other names of this machine to localhost, with the query', async () => {
    const { hostname, port } = new URL(preview.url);
    expect(hostname).toBe('localhost');
    for (const name of ['127.0.0.1', ...(HAS_IPV6 ? ['[::1]'] : [])]) {
      const answer = await fetch(`http://${name}:${port}//panel/?theme=dark`, {
        redirect: 'manual',
      });
      expect([answer.status, answer.headers.get('location')]).toEqual([
        302,
        `http://localhost:${port}//panel/?theme=dark`,
      ]);
      const post = await fetch(`http://${name}:${port}/panel/`, { method: 'POST' });
      expect(post.status).toBe(405);
    }
  });

  it('refuses requests for a host that is not this machine (DNS rebinding)', async () => {
    const { port } = new URL(preview.url);
    for (const path of ['/', '/panel/main.js', '/app/app.js']) {
      const answer = await sendRaw(
        preview.url,
        rawRequest('GET', path, [`Host: evil.example:${port}`]),
      );
      expect(answer.status).toBe(421);
      expect(answer.body).not.toMatch(/bundle|script/);
    }
  });

  it('serves no path outside its root', async () => {
    const given = await startPreview({ port: 0, host: '127.0.0.1', distDir: join(folder, 'dist') });
    expect(new URL(given.url).hostname).toBe('127.0.0.1');
    expect((await ask(given.url, '/')).status).toBe(200);
    await given.close();
  });

  it('loads the host script before the bundle, in the requested theme', async () => {
    const { body } = await ask(preview.url, '/panel/?theme=lightest');
    expect(body).toContain('<html data-theme="lightest" translate="no" lang="en">');
    expect(body.indexOf('/app/panel-host.js')).toBeGreaterThan(0);
    expect(body.indexOf('/app/panel-host.js')).toBeLessThan(body.indexOf('panel.css'));
    // The host's part is a module: the bundle's script must wait until that has run.
    expect(body).toContain('<script defer src="main.js">');
  });

  it('ignores an unknown theme', async () => {
    const { body } = await ask(preview.url, '/panel/?theme=%22%3E%3Cscript%3E');
    expect(body).toContain('<html data-theme="darkest"');
    expect(body).not.toContain('"><script>');
  });
});

describe('startPreview', () => {
  it('fails with one line when the bundle is missing', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'preview-test-'));
    await expect(startPreview({ port: 0, distDir: empty })).rejects.toThrow(
      /^There is no built bundle in .*run "npm run build" first\.$/,
    );
    await rm(empty, { recursive: true });
  });

  it('fails with one line when the port is in use', async () => {
    const dist = await mkdtemp(join(tmpdir(), 'preview-test-'));
    await writeFile(join(dist, 'index.html'), PAGE);
    await writeFile(join(dist, 'main.js'), '');
    const first = await startPreview({ port: 0, distDir: dist });
    const port = Number(new URL(first.url).port);
    await expect(startPreview({ port, distDir: dist })).rejects.toThrow(
      `The preview cannot listen on localhost:${port}: the port is in use, choose another one.`,
    );
    await first.close();
    const second = await startPreview({ port, distDir: dist }); // closing gave the port back
    expect(second.url).toBe(first.url);
    await second.close();
    await rm(dist, { recursive: true });
  });
});

describe('parsePort', () => {
  it('accepts whole numbers from 0 to 65535', () => {
    expect([
      parsePort('0', '--port'),
      parsePort('8781', '--port'),
      parsePort('65535', '--port'),
    ]).toEqual([0, 8781, 65535]);
  });

  it.each(['', '-1', '65536', '80.5', '8o81', '1e3', '0x50', ' 80'])(
    'refuses %j and names the option',
    (text) => {
      expect(() => parsePort(text, '--port')).toThrow(
        `--port takes a number from 0 to 65535, not "${text}".`,
      );
    },
  );
});
