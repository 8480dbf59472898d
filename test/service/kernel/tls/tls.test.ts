import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';

import { loadCertificate } from '../../../../service/kernel/tls/tls.js';
import { openPlugin, type Plugin } from '../../../host/host.js';
import { buildPlugin } from '../../../../scripts/kept-build.js';
import { HAS_IPV6 } from '../../../support/ipv6.js';
import { httpsFetch } from '../../../support/https-fetch.js';
import { asJpeg } from '../../../support/jpeg.js';
import { approveDevice } from '../../support/browser-client.js';
import { listUploads } from '../../support/oauth-client.js';
import { layReadyDatabase } from '../../support/database-templates.js';
import { useService } from '../../support/use-service.js';
import { runService } from '../../support/service-process.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const DAY_MS = 86_400_000;
const later = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tls-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the local certificate', () => {
  let data = '';
  let count = 0;
  const fresh = (): string => (data = path.join(folder, `data-${(count += 1)}`));
  const load = (now = NOW) => loadCertificate(data, now);

  it('is valid for this machine, for a bit more than a year, with its own authority', async () => {
    fresh();
    const { chain, authorityFile } = await load();
    const server = new X509Certificate(chain);
    const authority = new X509Certificate(await readFile(authorityFile));
    expect(server.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect([server.ca, authority.ca]).toEqual([false, true]);
    expect(server.checkIssued(authority) && server.verify(authority.publicKey)).toBe(true);
    expect(Date.parse(server.validTo)).toBe(later(397).getTime());
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']); // TLS server authentication
  });

  it('stores its key for the owner only, and never the authority’s key', async () => {
    fresh();
    const { key } = await load();
    const tls = path.join(data, 'tls');
    expect((await readdir(tls)).sort()).toEqual([
      'authority-to-trust.pem',
      'server-certificate.pem',
      'server-key.pem',
    ]);
    expect((await stat(tls)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(tls, 'server-key.pem'))).mode & 0o777).toBe(0o600);
    for (const name of ['authority-to-trust.pem', 'server-certificate.pem'])
      expect(await readFile(path.join(tls, name), 'utf8')).not.toContain('PRIVATE KEY');
    expect(await readFile(path.join(tls, 'server-key.pem'), 'utf8')).toBe(key);
  });

  it('is replaced two weeks before it expires', async () => {
    fresh();
    const first = await load();
    expect(await load(later(382))).toEqual(first);
    const renewed = await load(later(384));
    expect(renewed.chain).not.toBe(first.chain);
    expect(await load(later(385))).toEqual(renewed);
  });

  it.each([
    ['a key of another certificate', 'server-key.pem', 'server-key.pem'],
    ['another authority', 'authority-to-trust.pem', 'authority-to-trust.pem'],
    ['no certificate at all', 'server-certificate.pem', undefined],
  ])('is created again for %s', async (_what, file, from) => {
    const other = path.join(fresh(), 'tls');
    await load();
    fresh();
    const first = await load();
    const text = from === undefined ? 'nonsense' : await readFile(path.join(other, from), 'utf8');
    await writeFile(path.join(data, 'tls', file), text);
    const second = await load();
    expect(second.key).not.toBe(first.key);
    expect(await load()).toEqual(second);
  });

  it('is created again when the clock was set back', async () => {
    fresh();
    const first = await load();
    expect((await load(later(-2))).chain).not.toBe(first.chain);
  });
});

describe('the service over https', () => {
  let authority: string;
  const plugins: Plugin[] = [];

  const service = useService({ tls: true, lifetimes: { pollIntervalSeconds: 1 } });
  beforeAll(async () => {
    authority = await readFile(String(service.authorityFile), 'utf8');
    await buildPlugin(service.baseUrl, path.join(folder, 'dist'));
  });

  afterEach(() => {
    for (const plugin of plugins.splice(0)) plugin.kill();
  });

  it('has an https base URL at localhost, and a certificate for its other names, too', async () => {
    const { protocol, hostname, port } = new URL(service.baseUrl);
    expect([protocol, hostname]).toEqual(['https:', 'localhost']);
    const trusting = httpsFetch(authority);
    expect((await trusting(`${service.baseUrl}/oauth/device`)).status).toBe(200);
    for (const name of ['127.0.0.1', ...(HAS_IPV6 ? ['[::1]'] : [])]) {
      // One origin has the cookies.
      const page = await trusting(`https://${name}:${port}/oauth/device`);
      expect(page.headers.get('location')).toBe(`${service.baseUrl}/oauth/device`);
      expect((await trusting(`https://${name}:${port}/healthz`)).status).toBe(200);
    }
  });

  it('sends no Strict-Transport-Security for localhost', async () => {
    const page = await httpsFetch(authority)(`${service.baseUrl}/oauth/device`);
    expect(page.headers.get('strict-transport-security')).toBeNull();
  });

  it('is refused by clients without the authority and below TLS 1.2', async () => {
    await expect(fetch(`${service.baseUrl}/oauth/device`)).rejects.toMatchObject({
      cause: { code: 'SELF_SIGNED_CERT_IN_CHAIN' },
    });
    const port = Number(new URL(service.baseUrl).port);
    const old = connect({ host: '127.0.0.1', port, ca: authority, maxVersion: 'TLSv1.1' });
    await expect(
      new Promise((resolve, reject) => old.once('secureConnect', resolve).once('error', reject)),
    ).rejects.toThrow();
  });

  it('does not answer plain http', async () => {
    await expect(fetch(service.baseUrl.replace('https:', 'http:'))).rejects.toThrow();
  });

  it('signs a plugin in and uploads on macOS, where plain http is refused', async () => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(httpsFetch(authority));
    const plugin = await openPlugin({
      dist: path.join(folder, 'dist'),
      storageDir: path.join(folder, 'storage'),
      platform: 'darwin',
      trustedCertificate: authority,
    });
    plugins.push(plugin);
    await plugin.waitFor('Connect once.');
    plugin.click('Connect');
    await plugin.waitFor('Your code');
    const code = plugin.root.querySelector('#user-code')?.textContent ?? '';
    // The code is shown before the browser is opened.
    await plugin.waitFor(() => plugin.control.shell.calls.length > 0);
    expect(plugin.control.shell.calls.map(({ target }) => target)).toEqual([
      `${service.baseUrl}/oauth/device?user_code=${code}&ui_locales=en`,
    ]);
    await approveDevice(service.baseUrl, code, service.demo);
    await plugin.waitFor('Connected');

    const photo = path.join(folder, 'photo.jpg');
    await writeFile(photo, asJpeg(Buffer.from('bytes of a photo')));
    await plugin.invokeMenu('add-photos');
    await plugin.waitFor(() => plugin.control.pickers.open > 0);
    plugin.control.pickers.answer([photo]);
    await plugin.waitFor('1 file uploaded');
    const { accessToken } = await service.connect();
    expect((await listUploads(service.baseUrl, accessToken)).body).toMatchObject({
      uploads: [{ name: 'photo.jpg', size: 16 }],
    });

    await plugin.invokeMenu('disconnect');
    await plugin.waitFor('Connect once.');
    expect(plugin.findings).toEqual([]);
    expect(plugin.uncaught).toEqual([]);
  });

  it('reports an untrusted certificate to the plugin', async () => {
    const plugin = await openPlugin({
      dist: path.join(folder, 'dist'),
      storageDir: path.join(folder, 'untrusting'),
      platform: 'darwin',
    });
    plugins.push(plugin);
    await plugin.waitFor('Connect once.');
    // It retries for half a minute before it reports this.
    plugin.hurry(20);
    plugin.click('Connect');
    await plugin.waitFor('CW-301');
  });
});

it('npm run service -- --tls prints its URL and certificate, and exits with 0 on SIGINT', async () => {
  const data = path.join(folder, 'cli');
  await layReadyDatabase(path.join(data, 'database'));
  const command = runService(['--tls', '--port', '0', '--data', data, '--quiet']);
  const printed = await command.started();
  const [, file = ''] = /Certificate to trust +(\S+)/.exec(printed) ?? [];
  const [baseUrl = ''] = /https:\/\/localhost:\d+/.exec(printed) ?? [];
  const answer = await httpsFetch(await readFile(file, 'utf8'))(`${baseUrl}/oauth/device`);
  expect(answer.status).toBe(200);
  command.kill('SIGINT');
  const { code, stderr } = await command.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
