import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import * as nodeFs from 'node:fs';
import { tmpdir } from 'node:os';
import * as nodePath from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const DOCUMENTED = 'console.log(new XMLHttpRequest(), setTimeout);';
const UNDOCUMENTED = 'console.log(new URLSearchParams(location.search));';

let folder: string;
/** The reason of each refusal. */
let refusals: Map<string, readonly string[]>;

beforeAll(async () => {
  folder = nodeFs.mkdtempSync(nodePath.join(tmpdir(), 'host-check-plugin-'));
  refusals = await build([DOCUMENTED, UNDOCUMENTED]);
});

afterAll(() => {
  nodeFs.rmSync(folder, { recursive: true, force: true });
});

/** Builds scripts with webpack and the plugin, each for itself, in one process that is not this, as a build is. */
async function build(scripts: readonly string[]): Promise<Map<string, readonly string[]>> {
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
  const places = scripts.map((script, index) => {
    const place = nodePath.join(folder, String(index));
    nodeFs.mkdirSync(nodePath.join(place, 'dist/icons'), { recursive: true });
    nodeFs.writeFileSync(nodePath.join(place, 'dist/icons/plugin@1x.png'), 'png');
    nodeFs.writeFileSync(nodePath.join(place, 'dist/manifest.json'), JSON.stringify(manifest));
    nodeFs.writeFileSync(nodePath.join(place, 'main.js'), script);
    return place;
  });
  const code = `
    import webpack from 'webpack';
    import { HostCheckPlugin } from './build/host-check-plugin.js';
    const errorsOf = (folder) => new Promise((resolve, reject) => webpack({
      mode: 'production', context: folder, entry: './main.js', target: ['web', 'es2020'],
      output: { path: folder + '/dist', filename: 'main.js' }, plugins: [new HostCheckPlugin()],
    }, (error, stats) => {
      if (error) reject(error);
      else resolve(stats.toJson({ all: false, errors: true }).errors.map((e) => e.message));
    }));
    console.log(JSON.stringify(await Promise.all(${JSON.stringify(places)}.map(errorsOf))));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', code],
    { cwd: root },
  );
  const errors = JSON.parse(stdout) as string[][];
  return new Map(scripts.map((script, index) => [script, errors[index] ?? ['not built']]));
}

it('accepts a documented bundle', () => {
  expect(refusals.get(DOCUMENTED)).toEqual([]);
});

it('fails the build with file, name and replacement', () => {
  const [error, ...others] = refusals.get(UNDOCUMENTED) ?? [];
  expect(error).toMatch(/^main\.js:1:\d+ {2}URLSearchParams: .*9\.1.*Instead: encodeURIComponent/);
  expect(others).toHaveLength(1);
  expect(others[0]).toContain('location: undocumented global');
});
