import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtOnce, PLACEHOLDER, SOURCES } from '../support/built-plugin.js';

const ROOT = join(import.meta.dirname, '..', '..');

/** A build in a folder of its own: everything a build reads is copied, node_modules linked. */
class Copy {
  private constructor(readonly folder: string) {}

  static async make(folder: string): Promise<Copy> {
    await mkdir(folder, { recursive: true });
    for (const name of SOURCES.split(' '))
      await cp(join(ROOT, name), join(folder, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return new Copy(folder);
  }

  /**
   * Builds, and gives what webpack said; types are taken as checked unless asked for.
   * @throws Error with that when the build failed
   */
  async build(mode: string, { checkTypes = false } = {}): Promise<string> {
    const webpack = join(this.folder, 'node_modules/webpack/bin/webpack.js');
    const { stdout } = await promisify(execFile)(process.execPath, [webpack, '--mode', mode], {
      cwd: this.folder,
      env: {
        ...process.env,
        SERVICE_BASE_URL: PLACEHOLDER,
        SKIP_TYPE_CHECK: String(!checkTypes),
      },
    });
    return stdout;
  }

  dist(): Promise<Map<string, Buffer>> {
    return filesOf(join(this.folder, 'dist'));
  }
}

/** The files of a build by their paths in it. */
async function filesOf(dist: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(
      paths.sort().map(async (path) => [path.slice(dist.length), await readFile(path)] as const),
    ),
  );
}

describe('npm run build', () => {
  let folder: string;
  let copy: Copy;
  let output: string;
  let files: Map<string, Buffer>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webpack-test-'));
    copy = await Copy.make(join(folder, 'a copy', 'deeper'));
    output = await copy.build('production');
    files = await copy.dist();
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('writes the same bytes in every folder', async () => {
    const here = await filesOf(await builtOnce());
    expect([...files.keys()]).toEqual([...here.keys()]);
    for (const [path, bytes] of here)
      expect([path, files.get(path)?.equals(bytes)]).toEqual([path, true]);
  });

  it('names no path of the machine and no source map', () => {
    expect([...files.keys()].filter((path) => path.endsWith('.map'))).toEqual([]);
    for (const [path, bytes] of files) {
      for (const trace of [folder, ROOT, tmpdir(), 'sourceMappingURL', 'node_modules', '.ts"']) {
        expect([path, trace, bytes.includes(trace)]).toEqual([path, trace, false]);
      }
    }
  });

  it('says what the bundle consists of, every byte of it', () => {
    const sizes = new Map(
      [...output.matchAll(/^ {2}(\S.*?) +([\d.]+) KB$/gm)].map(([, name, size]) => [
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
    expect(gzipped).toBeLessThanOrEqual(65.5);
  });

  it('fails when the script outgrows its budget', async () => {
    // Text that compresses badly, in place of all modules: the build is over soon.
    const noise = Array.from({ length: 16_000 }, (_, n) =>
      Math.imul(n + 1, 0x9e3779b1).toString(36),
    );
    await writeFile(
      join(copy.folder, 'src/main.ts'),
      `console.log(${JSON.stringify(noise.join(' '))});\n`,
    );
    const failure: unknown = await copy.build('production').catch((error: unknown) => error);
    const { stdout } = failure as { readonly stdout: string };
    const [, gzipped = '', over = ''] =
      /All script is (\d+) bytes gzipped; the budget is 65536: (\d+) too many\./.exec(stdout) ?? [];
    expect(Number(gzipped) - 65_536).toBe(Number(over));
    // What has grown comes first, and what the message sends people to is there.
    expect(stdout).toMatch(/The biggest parts are src \(\d+\.\d KB\), /);
    expect(await readFile(join(ROOT, 'webpack.config.js'), 'utf8')).toContain('MAX_GZIPPED');
    expect(await readFile(join(ROOT, 'docs/plugin-development.md'), 'utf8')).toMatch(
      /^## What is in the bundle$/m,
    );
    expect(await readFile(join(ROOT, 'bench/run.ts'), 'utf8')).toContain('start-up');
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

  it('builds readable script with a source map inside, and still reports wrong types', async () => {
    const copy = await Copy.make(folder);
    // A part of the plugin, so that few types have to be checked.
    await writeFile(
      join(copy.folder, 'src/main.ts'),
      "import './api/request-queue.js';\nimport './base/utf8.js';\n",
    );
    await appendFile(join(copy.folder, 'src/base/utf8.ts'), 'export const wrong: string = 5;\n');
    // It writes what it can all the same: a developer may go on and mend the type later.
    await expect(copy.build('development', { checkTypes: true })).rejects.toMatchObject({
      stdout: expect.stringContaining("Type 'number' is not assignable to type 'string'"),
    });
    const files = await copy.dist();
    const script = String(files.get('/main.js'));
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
