/**
 * The linters, as `npm run check:lint` calls them, refuse what the house does not write. They run once each, over a folder
 * with all the files of refused.ts, beside copies of their configuration.
 */
import { exec } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { ACCEPTED, REFUSED, type Refused } from './refused.js';

const ROOT = join(import.meta.dirname, '..', '..');
const CONFIGURATION =
  'package.json .oxlintrc.json eslint.config.js tsconfig.base.json tsconfig.json tsconfig.src.json src/tsconfig.json';

let folder: string;
/** Rules that refused something, by path of the file. */
const refusedBy = new Map<string, Set<string>>();

const pathOf = (
  kind: string,
  index: number,
  { folder: inside, extension = 'ts' }: Pick<Refused, 'folder' | 'extension'>,
): string => `${inside}/${kind}-${index}.${extension}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lint-'));
  const put = async (path: string, code: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    // Without an import or export, its names would be those of all files.
    const module = /^(im|ex)port /m.test(code) ? '' : 'export {};\n';
    await writeFile(join(folder, path), `${code}\n${module}`);
  };
  for (const [index, one] of REFUSED.entries()) await put(pathOf('refused', index, one), one.code);
  for (const [index, one] of ACCEPTED.entries())
    await put(pathOf('accepted', index, one), one.code);
  for (const name of CONFIGURATION.split(' ')) await cp(join(ROOT, name), join(folder, name));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [oxlint, eslint, ...more] = (scripts['check:lint'] ?? '').split(' && ');
  if (!oxlint?.startsWith('oxlint') || !eslint?.startsWith('eslint') || more.length > 0)
    throw new Error('check:lint is not what this test knows');
  const { diagnostics } = (await answerOf(oxlint)) as {
    diagnostics: { code?: string; message: string; filename: string }[];
  };
  for (const { code, message, filename } of diagnostics)
    add(filename, code ?? (message.startsWith('Unused') ? 'unused directive' : message));
  for (const { filePath, messages } of (await answerOf(eslint)) as {
    filePath: string;
    messages: { ruleId: string | null; message: string }[];
  }[])
    for (const { ruleId, message } of messages)
      add(filePath.slice(folder.length + 1), ruleId ?? message);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function add(path: string, rule: string): void {
  refusedBy.set(path, (refusedBy.get(path) ?? new Set()).add(rule));
}

/** What a linter says in JSON; it ends with 1, for it finds something. */
async function answerOf(command: string): Promise<unknown> {
  const PATH = [join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
  const { code, output } = await new Promise<{ code: unknown; output: string }>((done) => {
    exec(
      `${command} --format json`,
      { cwd: folder, env: { ...process.env, PATH }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => done({ code: error?.code, output: stdout || stderr }),
    );
  });
  expect({ code, output: code === 1 ? '' : output }).toEqual({ code: 1, output: '' });
  return JSON.parse(output);
}

it.each(REFUSED.map((one, index) => ({ ...one, path: pathOf('refused', index, one) })))(
  '$rule in $folder: $code',
  ({ path, rule }) => {
    expect([...(refusedBy.get(path) ?? [])]).toContain(rule);
  },
);

it.each(ACCEPTED.map((one, index) => ({ ...one, path: pathOf('accepted', index, one) })))(
  'nothing in $folder: $code',
  ({ path }) => {
    expect([...(refusedBy.get(path) ?? [])]).toEqual([]);
  },
);
