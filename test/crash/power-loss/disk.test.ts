import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compiled } from '../../support/compiled.js';
import { seededRandom, testSeed } from '../../support/seeded-random.js';
import type { Fate } from './disk-file.js';
import { contentOf, RecordedFolder } from './recorded-process.js';

const seed = testSeed();
/** So many that what may happen does. */
const LOSSES = 400;

describe(`the simulated disk after a power loss (TEST_SEED=${seed})`, () => {
  let folder: RecordedFolder;
  let random: () => number;

  beforeEach(() => {
    folder = new RecordedFolder();
    random = seededRandom(seed);
  });
  afterEach(() => {
    folder.dispose();
  });

  /** Puts a file into the folder before anything is recorded. */
  const before = (name: string, text: string): void => {
    for (const where of [folder.base, folder.data]) writeFileSync(path.join(where, name), text);
  };
  /** Lets a recorded process work in the folder, and gives what may be left then: everything that was found. */
  const left = (program: string, fate: Fate = 'some'): string[] => {
    folder.run(program);
    const images = Array.from({ length: fate === 'some' ? LOSSES : 1 }, () =>
      JSON.stringify(folder.afterLoss(random, fate)),
    );
    return [...new Set(images)].sort();
  };
  const FLUSH_FOLDER = `const dir = fs.openSync('.'); fs.fsyncSync(dir); fs.closeSync(dir);`;

  it('has a flushed file and its name', () => {
    const all = left(`
      const file = fs.openSync('a', 'w');
      fs.writeSync(file, 'whole');
      fs.fsyncSync(file);
      ${FLUSH_FOLDER}`);
    expect(all).toEqual(['{"a":"whole"}']);
  });

  it('may lose the name of a flushed file and the bytes of a flushed name', () => {
    expect(
      left(`fs.writeFileSync('a', 'bytes', { flush: true });
      const file = fs.openSync('a', 'r+'); fs.fsyncSync(file);`),
    ).toEqual(['{"a":"bytes"}', '{}']);
    rmSync(path.join(folder.data, 'a'));
    expect(left(`fs.writeFileSync('a', 'bytes'); ${FLUSH_FOLDER}`)).toEqual(
      expect.arrayContaining([
        '{"a":""}',
        '{"a":"\\u0000\\u0000\\u0000\\u0000\\u0000"}',
        '{"a":"bytes"}',
      ]),
    );
  });

  it('has exactly one of the two names of a rename', () => {
    before('a', 'new');
    before('b', 'old');
    expect(left(`fs.renameSync('a', 'b');`)).toEqual(['{"a":"new","b":"old"}', '{"b":"new"}']);
  });

  it('may replace a good file by a new one without bytes', () => {
    before('a', 'old');
    const all = left(`fs.writeFileSync('a.new', 'new'); fs.renameSync('a.new', 'a');`);
    expect(all).toEqual(expect.arrayContaining(['{"a":""}', '{"a":"new"}', '{"a":"old"}']));
  });

  it('may restore removed files until the folder is flushed', () => {
    before('a', 'text');
    expect(left(`fs.rmSync('a');`)).toEqual(['{"a":"text"}', '{}']);
    expect(left(FLUSH_FOLDER)).toEqual(['{"a":"text"}']);
    before('a', 'text');
    expect(left(`fs.rmSync('a'); ${FLUSH_FOLDER}`)).toEqual(['{}']);
  });

  it('may have later names without earlier ones until the folder is flushed', () => {
    const make = (name: string): string => `fs.closeSync(fs.openSync('${name}', 'w'));`;
    const either = ['{"a":"","b":""}', '{"a":""}', '{"b":""}', '{}'];
    expect(left(make('a') + make('b'))).toEqual(either);
    for (const name of ['a', 'b']) rmSync(path.join(folder.data, name));
    expect(left(make('a') + FLUSH_FOLDER + make('b'))).toEqual(['{"a":"","b":""}', '{"a":""}']);
  });

  it('may have later pages and zeros for earlier ones', () => {
    const all = left(`
      const file = await fs.promises.open('a', 'w');
      ${FLUSH_FOLDER}
      await file.write(Buffer.alloc(4096, '1'));
      await file.sync();
      await file.write(Buffer.alloc(8192, '2'));`);
    const pages = all.map((one) => {
      const { a = '' } = JSON.parse(one) as Record<string, string>;
      return [0, 1, 2].map((page) => a.slice(page * 4096).charAt(0)).join('');
    });
    expect([...new Set(pages)].sort()).toEqual(
      ['1', '12', '1\0', '122', '12\0', '1\0\0', '1\x002'].sort(),
    );
  });

  it('can return everything or the durable part only', () => {
    before('a', 'one');
    const program = `fs.appendFileSync('a', ', two'); fs.rmSync('a'); fs.writeFileSync('a', '3');`;
    expect(left(program, 'all')).toEqual(['{"a":"3"}']);
    before('a', 'one');
    expect(left(program, 'none')).toEqual(['{"a":"one"}']);
  });

  it('keeps writes before a flush and may lose those during it', () => {
    const all = left(`
      const file = await fs.promises.open('a', 'w');
      ${FLUSH_FOLDER}
      await file.write('one', 0);
      const flushed = file.sync();
      await file.write('two', 3);
      await flushed;`);
    expect(all).toEqual(expect.arrayContaining(['{"a":"one"}', '{"a":"onetwo"}']));
    for (const one of all) expect(one).toMatch(/^\{"a":"one/);
  });

  it.each([
    `fs.copyFileSync('a', 'b');`,
    `await fs.promises.cp('a', 'b');`,
    `fs.linkSync('a', 'b');`,
  ])('refuses to record unknown operations: %s', (program) => {
    before('a', 'text');
    expect(() => left(program)).toThrow();
  });

  it('records every way of writing', () => {
    const all = left(
      `
      const done = (work) => new Promise((resolve, reject) =>
        work((error) => (error ? reject(error) : resolve())));
      fs.writeFileSync('sync', '1');
      await fs.promises.writeFile('promise', '2');
      await done((callback) => fs.writeFile('callback', '3', callback));
      const stream = fs.createWriteStream('stream');
      stream.cork();
      for (const piece of ['4', '5', '6']) stream.write(piece);
      await done((callback) => stream.end(callback));
      const file = await fs.promises.open('handle', 'a');
      await file.writeFile('7');
      await file.appendFile('8');
      await file.writev([Buffer.from('9'), Buffer.from('0')]);
      await file.truncate(3);
      await file.close();
      await fs.promises.mkdir('x/y', { recursive: true });
      await fs.promises.rename('callback', 'x/y/callback');
      await fs.promises.mkdir('z');
      await fs.promises.writeFile('z/gone', '');
      await fs.promises.rm('z', { recursive: true });
      await fs.promises.truncate('promise', 0);`,
      'all',
    );
    expect(all.map((one) => JSON.parse(one) as unknown)).toEqual([contentOf(folder.data)]);
    expect(existsSync(path.join(folder.data, 'x', 'y', 'callback'))).toBe(true);
  });

  it('keeps the certificate that users have trusted', () => {
    const program = `const { loadCertificate } = await import(${JSON.stringify(compiled('service/kernel/tls/tls.ts'))});
      await loadCertificate(process.cwd(), new Date());`;
    const [kept] = left(program, 'none');
    expect(kept).toBe(JSON.stringify(contentOf(folder.data)));
    expect(kept).toContain('BEGIN CERTIFICATE');
  });

  it('keeps the whole database of a first start, readable by its owner only', () => {
    // PostgreSQL's own files are compared with themselves, because creating them takes seconds.
    const all = left(`
      const { PGlite } = await import(${JSON.stringify(import.meta.resolve('@electric-sql/pglite'))});
      const { openEmbeddedDatabase } = await import(${JSON.stringify(compiled('service/kernel/database/pglite.ts'))});
      PGlite.create = async (place) => {
        if (typeof place !== 'string') throw new Error('made');
        fs.mkdirSync(place + '/base/1', { recursive: true });
        for (const name of ['PG_VERSION', 'base/1/112']) fs.writeFileSync(place + '/' + name, name);
        return { close: () => Promise.resolve() };
      };
      fs.mkdirSync('database');
      await openEmbeddedDatabase('database').catch((error) => {
        if (error.message !== 'made') throw error;
      });`);
    const made = { PG_VERSION: 'PG_VERSION', base: { 1: { 112: 'base/1/112' } } };
    expect(all).toEqual([JSON.stringify({ database: made })]);
    expect(statSync(path.join(folder.data, 'database')).mode & 0o077).toBe(0);
  });
});
