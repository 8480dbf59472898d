import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { commandFor, HELP } from '../../service/app/admin-commands.js';
import { ENVIRONMENT, optionsFromEnvironment } from '../../service/app/config/environment.js';
import { MAX_RECEIPT_BYTES } from '../../service/delivery/receipts/receipt-check.js';
import { checkOptions } from '../../service/app/config/options.js';
import { KEEP_ALIVE_MS, MAX_REQUEST_MS } from '../../service/kernel/http/server.js';
import { loadCertificate } from '../../service/kernel/tls/tls.js';
import { runService } from '../service/support/service-process.js';

const MIB = 1024 ** 2;
const ROOT = join(import.meta.dirname, '..', '..');
const DEPLOY = join(ROOT, 'deploy');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const page = read('docs/deployment.md');
const unit = read('deploy/creative-workspace.service');
const nginx = read('deploy/nginx.conf');
const caddy = read('deploy/Caddyfile');
const scripts = readdirSync(DEPLOY).filter((name) => name.startsWith('workspace-'));
/** The lines of the page that are run as they stand. */
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
);

const settingOf = (name: string): string =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? `no ${name}`;
const start = settingOf('ExecStart').split(' ');
const optionOf = (name: string): string => start[start.indexOf(name) + 1] ?? '';
/** The values of a directive of nginx, in the order in which they stand. */
const directives = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`^\\s*${name}\\s+(.+);$`, 'gm'))].map(([, value = '']) => value);
const ofUploads = /location \/api\/v1\/uploads \{[^}]*\}/.exec(nginx)?.[0] ?? '';
const ofTheRest = nginx.replace(ofUploads, '');
const seconds = (text: string | undefined): number => Number(/^(\d+)s$/.exec(text ?? '')?.[1]);

/** The settings as the unit reads them. */
function environment(): Record<string, string> {
  const lines = read('deploy/creative-workspace.env').matchAll(/^([A-Z_0-9]+)='([^']*)'$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

describe('the files of deploy/', () => {
  it('are all named in docs/deployment.md', () => {
    expect(readdirSync(DEPLOY).filter((name) => !page.includes(`deploy/${name}`))).toEqual([]);
  });

  it('are installed at the paths that they state', () => {
    for (const name of readdirSync(DEPLOY)) {
      const said = /^# (\/[\w./-]+)/m.exec(read(`deploy/${name}`))?.[1] ?? '';
      const folder = said.slice(0, said.lastIndexOf('/') + 1);
      const line = commands.find((command) => command.includes(`deploy/${name}`)) ?? page;
      expect([name, folder !== '' && line.includes(folder)]).toEqual([name, true]);
    }
  });

  it('start the service with valid options', async () => {
    const { stdout: help } = await runService(['--help']).ended;
    const options = start.filter((word) => word.startsWith('--'));
    expect(start[1]).toBe('dist-service/cli.js');
    expect(options.length).toBeGreaterThan(2);
    for (const option of options) expect(help).toContain(option);
  });

  it('have valid settings for one proxy and no demo account', () => {
    const set = environment();
    const options = checkOptions({
      ...optionsFromEnvironment(set),
      dataDir: optionOf('--data'),
      port: Number(optionOf('--port')),
      baseUrl: set['BASE_URL'] ?? '',
    });
    expect(options).toMatchObject({
      trustedProxies: 1,
      demoAccount: false,
      databaseUrl: set['DATABASE_URL'],
      warnings: [],
    });
    expect(optionOf('--base-url')).toBe('${BASE_URL}');
    expect(Number(settingOf('TimeoutStopSec'))).toBeGreaterThan(options.shutdownGraceSeconds);
  });

  it('agree on port, folders, user and database', () => {
    const at = `127.0.0.1:${optionOf('--port')}`;
    expect(directives(nginx, 'server')).toEqual([at]);
    expect(caddy).toContain(`reverse_proxy ${at} {`);
    expect(page).toContain(`http://localhost:${optionOf('--port')}/healthz`);
    const user = settingOf('User');
    const data = optionOf('--data');
    expect(data).toBe(`/var/lib/${settingOf('StateDirectory')}`);
    expect(commands).toContain(
      `useradd --system --home-dir ${data} --shell /usr/sbin/nologin ${user}`,
    );
    expect(commands).toContain(`cd ${settingOf('WorkingDirectory')}`);
    expect(commands).toContain(`runuser -u postgres -- createuser ${user}`);
    const database = new URL(environment()['DATABASE_URL'] ?? '').pathname.slice(1);
    expect(commands).toContain(`runuser -u postgres -- createdb --owner=${user} ${database}`);
    for (const name of scripts) {
      const text = read(`deploy/${name}`);
      expect([name, text.includes(data)]).toEqual([name, true]);
    }
    expect(read('deploy/workspace-backup')).toContain(`--format=custom ${database} `);
    expect(read('deploy/workspace-restore')).toContain(`--dbname=${database} `);
    expect(read('deploy/workspace-admin')).toContain(settingOf('EnvironmentFile'));
  });

  it('are installed again by the upgrade if they are numbered', () => {
    const [, upgrade = ''] = /^### A new version$([\s\S]*?)^#/m.exec(page) ?? [];
    const numbered = readdirSync(DEPLOY).filter((name) =>
      /^# Configuration \d+$/m.test(read(`deploy/${name}`)),
    );
    expect(numbered.length).toBeGreaterThan(4);
    expect(numbered.filter((name) => !upgrade.includes(name))).toEqual([]);
    expect(upgrade.indexOf('systemctl daemon-reload')).toBeLessThan(
      upgrade.indexOf('systemctl start'),
    );
  });

  it('limit the memory and do not restart after an invalid option', async () => {
    const { code } = await runService(['--bogus']).ended;
    expect(settingOf('RestartPreventExitStatus')).toBe(String(code));
    expect(settingOf('MemoryMax')).toMatch(/^\d+G$/);
    // Otherwise systemd ends all of the service with its picture process.
    expect(settingOf('OOMPolicy')).toBe('continue');
  });

  it.each(scripts)('are valid shell scripts: %s', (name) => {
    execFileSync('sh', ['-n', join(DEPLOY, name)]);
  });
});

describe('the settings in docs/deployment.md', () => {
  /** The names in the first column of the table below the heading. */
  const [, section = ''] = /^## Settings$([\s\S]*?)^## /m.exec(page) ?? [];
  const rows = [...section.matchAll(/^\| (`.*?`) +\|/gm)].map(([, cell = '']) => cell);
  const names = rows.flatMap((cell) =>
    [...cell.matchAll(/`([\w-]+)/g)].map(([, name = '']) => name),
  );

  it('are all variables that the service and deploy/ read', () => {
    const own = ['BASE_URL', 'KEEP_BACKUPS'];
    expect(Object.keys(environment()).filter((name) => !names.includes(name))).toEqual([]);
    expect(names.toSorted()).toEqual([...Object.keys(ENVIRONMENT.entries), ...own].sort());
  });

  it('are all options of the command line', async () => {
    const { stdout: help } = await runService(['--help']).ended;
    const options = [...help.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, name = '']) => name);
    const named = [...section.matchAll(/(--[a-z][\w-]*)`/g)].map(([, name = '']) => name);
    expect([...new Set(named)].sort()).toEqual(options.sort());
  });
});

describe('the commands in docs/deployment.md', () => {
  it('exist in service:admin', () => {
    const given = commands.filter((line) => line.startsWith('workspace-admin '));
    expect(given.length).toBeGreaterThan(1);
    for (const line of given) {
      const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, text, word]) => text ?? word);
      const [, name = '', ...rest] = words.map((word) => word ?? '');
      expect(() => commandFor(name, rest, new Set())).not.toThrow();
    }
  });

  it('are commands of its help where they are only named', () => {
    const [, people = ''] = /^## People$([\s\S]*?)^## /m.exec(page) ?? [];
    const named = [
      ...people.matchAll(/`([a-z-]+)[ `]/g),
      ...page.matchAll(/`workspace-admin (\S+)/g),
    ]
      .map(([, name = '']) => name)
      .filter((name) => !/^(workspace-admin|--help`?)$/.test(name));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !HELP.includes(`\n  ${name.replace('`', '')} `))).toEqual([]);
  });
});

describe('the proxy configurations', () => {
  it('close idle connections before the service does', () => {
    const [toService] = directives(
      /upstream \w+ \{[^}]*\}/.exec(nginx)?.[0] ?? '',
      'keepalive_timeout',
    );
    expect(seconds(toService) * 1000).toBeLessThan(KEEP_ALIVE_MS);
    const ofCaddy = seconds(/^\s*keepalive (\S+)$/m.exec(caddy)?.[1]);
    expect(ofCaddy * 1000).toBeLessThan(KEEP_ALIVE_MS);
    expect(directives(nginx, 'proxy_set_header Connection')).toEqual(['""']);
    expect(directives(nginx, 'proxy_http_version')).toEqual(['1.1']);
  });

  it('stream uploads of any size and duration, and limit other requests', () => {
    expect(directives(ofUploads, 'client_max_body_size')).toEqual(['0']);
    expect(directives(ofUploads, 'proxy_request_buffering')).toEqual(['off']);
    const [forAnswer] = directives(ofUploads, 'proxy_read_timeout');
    expect(seconds(forAnswer) * 1000).toBeGreaterThan(MAX_REQUEST_MS);
    expect(directives(ofTheRest, 'client_max_body_size')).toEqual(['9m']);
    expect(9 * MIB).toBeGreaterThanOrEqual(MAX_RECEIPT_BYTES + MIB);
    expect(caddy).not.toMatch(/request_body|buffer/);
  });

  it('buffer no responses on the disk', () => {
    for (const name of ['nginx.conf', 'nginx-content.conf']) {
      const servers = read(`deploy/${name}`)
        .split(/^server \{/m)
        .filter((server) => server.includes('proxy_pass'));
      expect(servers.map((server) => directives(server, 'proxy_max_temp_file_size'))).toEqual([
        ['0'],
      ]);
    }
  });

  it('send one client address, without the client’s own header', () => {
    expect(directives(nginx, 'proxy_set_header X-Forwarded-For')).toEqual(['$remote_addr']);
    expect(caddy).not.toMatch(/trusted_proxies|header_up/);
  });

  it('log no query and no request line with an error', () => {
    for (const format of directives(nginx, 'log_format')) {
      expect(format).not.toMatch(/\$(request|request_uri|args|query_string|http_referer)\b/);
    }
    const files = directives(nginx, 'access_log').filter((value) => value !== 'off');
    expect(files.every((value) => value.endsWith(' creative_workspace'))).toBe(true);
    expect(directives(nginx, 'error_log').every((value) => value.endsWith(' crit'))).toBe(true);
    expect(directives(nginx, 'error_log')).toHaveLength(nginx.match(/^server \{/gm)?.length ?? 0);
    expect(caddy).not.toMatch(/^\s*log\b/m);
  });
});

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

if (hasNginx) describe('nginx', testWithNginx);

function testWithNginx(): void {
  const folder = mkdtempSync(join(tmpdir(), 'creative-workspace-nginx-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('accepts the file, with other paths of certificate and logs', async () => {
    const { chain, key } = await loadCertificate(folder, new Date());
    writeFileSync(join(folder, 'cert.pem'), chain);
    writeFileSync(join(folder, 'key.pem'), key);
    const site = nginx
      .replace(/\/etc\/letsencrypt\/\S+\/fullchain\.pem/, join(folder, 'cert.pem'))
      .replace(/\/etc\/letsencrypt\/\S+\/privkey\.pem/, join(folder, 'key.pem'))
      .replaceAll('/var/log/nginx', folder);
    const main = `pid ${folder}/pid; events {} http { ${temporaryPaths(folder)} ${site} }`;
    writeFileSync(join(folder, 'nginx.conf'), main);

    const result = spawnSync(
      'nginx',
      ['-t', '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`],
      { encoding: 'utf8' },
    );

    expect(result.stderr).toContain('test is successful');
    expect(result.stderr).not.toContain('[warn]');
  });
}

/** Folders that `nginx -t` makes, for who may not write where nginx usually has them. */
function temporaryPaths(folder: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(' ');
}
