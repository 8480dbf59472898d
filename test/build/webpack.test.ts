import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtOnce, SOURCES } from '../../scripts/kept-build.js';
import { filesOf, ProjectCopy } from './project-copy.js';

/**
 * Builds a copy, and gives what webpack said; types are taken as checked unless asked for.
 * @throws Error with that when the build failed
 */
async function build(
  copy: ProjectCopy,
  mode: string,
  { checkTypes = false } = {},
): Promise<string> {
  const { stdout } = await copy.run(['node_modules/webpack/bin/webpack.js', '--mode', mode], {
    SKIP_TYPE_CHECK: String(!checkTypes),
  });
  return stdout;
}

describe('npm run build', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webpack-test-'));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('lists the content of the bundle, byte for byte', async () => {
    const { said, dist } = await builtOnce();
    const sizes = new Map(
      [...said.matchAll(/^ {2}(\S.*?) +([\d.]+) KB$/gm)].map(([, name, size]) => [
        name,
        Number(size),
      ]),
    );
    const total = sizes.get('all script, minified');
    const gzipped = sizes.get('all script, gzipped');
    sizes.delete('all script, minified');
    sizes.delete('all script, gzipped');
    for (const name of ['p-queue', 'tus-js-client', 'idb-keyval', 'src/oauth', 'src/panel'])
      expect(sizes.get(name)).toBeGreaterThan(0);
    const sum = [...sizes.values()].reduce((all, size) => all + size, 0);
    // Each row is rounded to a tenth.
    expect(Math.abs(sum - Number(total))).toBeLessThan(0.05 * (sizes.size + 1));
    expect(gzipped).toBeLessThan(Number(total));
    // The output is about the scripts in this folder.
    const [shell, main] = await Promise.all(
      ['shell.js', 'main.js'].map(async (name) => (await stat(join(dist, name))).size),
    );
    expect((((shell ?? 0) + (main ?? 0)) / 1000).toFixed(1)).toBe(total?.toFixed(1));
    // It is evaluated before the first paint.
    expect(shell).toBeLessThan(8_000);
  });

  it('fails with one line that names the invalid setting', async () => {
    const copy = await ProjectCopy.make(join(folder, 'wrong setting'), SOURCES);
    const failure: unknown = await copy
      .run(['node_modules/webpack/bin/webpack.js', '--mode', 'production'], {
        SERVICE_BASE_URL: 'https://workspace.example/photos',
      })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^SERVICE_BASE_URL must end after its host and port: .*\n$/),
    });
  });

  it('warns about a script above 160 KiB gzipped and still writes it', async () => {
    const copy = await ProjectCopy.make(join(folder, 'too much'), SOURCES);
    // Text that compresses badly, in place of all modules: the build is over soon.
    const noise = Array.from({ length: 40_000 }, (_, n) =>
      Math.imul(n + 1, 0x9e3779b1).toString(36),
    );
    await writeFile(
      join(copy.folder, 'src/main.ts'),
      `console.log(${JSON.stringify(noise.join(' '))});\n`,
    );

    const said = await build(copy, 'production');

    const [, gzipped = ''] =
      /WARNING in All script is (\d+) bytes gzipped, more than 163840\./.exec(said) ?? [];
    expect(Number(gzipped)).toBeGreaterThan(163_840);
    // The part that has grown comes first.
    expect(said).toMatch(/The biggest parts are src \(\d+\.\d KB\), /);
    expect(await readFile(join(copy.folder, 'dist/main.js'), 'utf8')).toContain(noise[39_999]);
  });
});

describe('npm run watch', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webpack-watch-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('builds a readable script with an inline source map and reports type errors', async () => {
    const copy = await ProjectCopy.make(folder, SOURCES);
    // A part of the plugin, so that few types have to be checked.
    await writeFile(
      join(copy.folder, 'src/main.ts'),
      "import './api/request-queue.js';\nimport './util/clock.js';\n",
    );
    await appendFile(join(copy.folder, 'src/util/clock.ts'), 'export const wrong: string = 5;\n');
    // The bundle is still written: a developer may fix the type later.
    await expect(build(copy, 'development', { checkTypes: true })).rejects.toMatchObject({
      stdout: expect.stringContaining("Type 'number' is not assignable to type 'string'"),
    });
    const files = await filesOf(join(copy.folder, 'dist'));
    const script = String(files.get('main.js'));
    expect(script).toContain('class RequestQueue');
    expect(script).not.toMatch(/\beval\(/);
    const [, base64 = ''] =
      /\n\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,(\S+)\s*$/.exec(
        script,
      ) ?? [];
    const map = JSON.parse(Buffer.from(base64, 'base64').toString()) as {
      sources: string[];
      sourcesContent: string[];
    };
    const at = map.sources.findIndex((source) => source.endsWith('/src/api/request-queue.ts'));
    expect(map.sourcesContent[at]).toBe(
      await readFile(join(copy.folder, 'src/api/request-queue.ts'), 'utf8'),
    );
    expect(map.sources.filter((source) => source.includes(folder))).toEqual([]);
  });
});
