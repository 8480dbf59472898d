import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import * as nodeFs from 'node:fs';
import { tmpdir } from 'node:os';
import * as nodePath from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = nodeFs.mkdtempSync(nodePath.join(tmpdir(), 'host-check-plugin-'));
});

afterEach(() => {
  nodeFs.rmSync(folder, { recursive: true, force: true });
});

/** Builds one script with webpack and the plugin, in a process of its own as a build is. */
function build(script: string): Promise<string[]> {
  const icons = [{ width: 24, height: 24, path: 'icons/plugin.png' }];
  const manifest = {
    manifestVersion: 5,
    id: 'com.example.tiny',
    name: 'Tiny plugin',
    version: '1.0.0',
    main: 'main.js',
    host: { app: 'PS', minVersion: '26.9.0' },
    entrypoints: [{ type: 'panel', id: 'tinyPanel', label: { default: 'Tiny' }, icons }],
    icons,
  };
  const out = nodePath.join(folder, 'dist');
  nodeFs.mkdirSync(nodePath.join(out, 'icons'), { recursive: true });
  nodeFs.writeFileSync(nodePath.join(out, 'icons', 'plugin@1x.png'), 'png');
  nodeFs.writeFileSync(nodePath.join(out, 'manifest.json'), JSON.stringify(manifest));
  nodeFs.writeFileSync(nodePath.join(folder, 'main.js'), script);
  const code = `
    import webpack from 'webpack';
    import { HostCheckPlugin } from './build/host-check-plugin.js';
    const folder = ${JSON.stringify(folder)};
    webpack({
      mode: 'production', context: folder, entry: './main.js', target: ['web', 'es2020'],
      output: { path: folder + '/dist', filename: 'main.js' }, plugins: [new HostCheckPlugin()],
    }, (error, stats) => {
      if (error) throw error;
      console.log(JSON.stringify(stats.toJson({ all: false, errors: true }).errors.map((e) => e.message)));
    });`;
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      ['--input-type=module', '-e', code],
      { cwd: root },
      (error, stdout, stderr) => {
        if (error) reject(new Error(stderr));
        else resolve(JSON.parse(stdout) as string[]);
      },
    );
  });
}

it('lets a documented bundle through', async () => {
  expect(await build('console.log(new XMLHttpRequest(), setTimeout);')).toEqual([]);
});

it('fails the build with the file, the name and what to use instead', async () => {
  const [error, ...others] = await build('console.log(new URLSearchParams(location.search));');
  expect(error).toMatch(/^main\.js:1:\d+ {2}URLSearchParams: .*9\.1.*Instead: encodeURIComponent/);
  expect(others).toHaveLength(1);
  expect(others[0]).toContain('location: undocumented global');
});
