/**
 * Compares the pictures of PDF files with those of Poppler: `npx tsx scripts/compare-pdf.ts FOLDER`. It needs `pdfinfo` and
 * `pdftoppm`. Run it before a change of the library, with public files such as the test files of mozilla/pdf.js.
 * It prints one line for each file: how many pages each counts, how far the first page differs (the mean difference of two
 * small pictures, of 255), and how long it took.
 * @packageDocumentation
 */
import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { openDocument } from '../service/library/previews/documents/open-document.js';

const run = promisify(execFile);

/** Pictures are compared at this size, so that a shift of less than a pixel of the page does not count. */
const SIDE = 128;

/** Pictures that differ more do not look the same. */
const SIMILAR = 8;

interface Result {
  readonly file: string;
  readonly pages: number | undefined;
  readonly wanted: number | undefined;
  readonly difference: number | undefined;
  readonly ms: number;
}

async function byPoppler(file: string): Promise<{ pages?: number; picture?: Buffer }> {
  const options = { timeout: 30_000, maxBuffer: 256e6, encoding: 'buffer' } as const;
  const info = await run('pdfinfo', [file], options).catch(() => undefined);
  const pages = /^Pages:\s+(\d+)/m.exec(info?.stdout.toString('latin1') ?? '')?.[1];
  const drawn = await run(
    'pdftoppm',
    ['-f', '1', '-l', '1', '-scale-to', '2048', '-cropbox', '-png', file],
    options,
  ).catch(() => undefined);
  return {
    ...(pages !== undefined && { pages: Number(pages) }),
    ...(drawn !== undefined && drawn.stdout.length > 0 && { picture: drawn.stdout }),
  };
}

async function small(picture: Sharp): Promise<Buffer> {
  return picture
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .removeAlpha()
    .resize(SIDE, SIDE, { fit: 'fill' })
    .raw()
    .toBuffer();
}

async function compare(file: string): Promise<Result> {
  const { size } = await stat(file);
  const start = performance.now();
  const document = await openDocument(file, size);
  const page = await document?.draw(1);
  const ms = Math.round(performance.now() - start);
  await document?.close();
  const { pages: wanted, picture } = await byPoppler(file);
  const facts = { file: path.basename(file), pages: document?.pages, wanted, ms };
  if (page === undefined || picture === undefined) {
    return { ...facts, difference: undefined };
  }
  const { data, width, height } = page;
  const ours = await small(
    sharp(Buffer.from(data.buffer), { raw: { width, height, channels: 4 } }),
  );
  const theirs = await small(sharp(picture));
  const sum = ours.reduce((total, value, at) => total + Math.abs(value - (theirs[at] ?? 0)), 0);
  return { ...facts, difference: sum / ours.length };
}

const [folder = '.'] = process.argv.slice(2);
const files = (await readdir(folder)).filter((name) => name.endsWith('.pdf')).sort();
const results: Result[] = [];
for (const name of files) {
  const result = await compare(path.join(folder, name));
  results.push(result);
  const { pages, wanted, difference, ms } = result;
  console.log(
    [
      name,
      `pages ${pages ?? '-'}/${wanted ?? '-'}`,
      difference?.toFixed(1) ?? '-',
      `${ms} ms`,
    ].join('\t'),
  );
}
const drawnByBoth = results.filter(({ difference }) => difference !== undefined);
const similar = drawnByBoth.filter(({ difference = 255 }) => difference <= SIMILAR);
const counted = results.filter(({ wanted }) => wanted !== undefined);
const memory = process.resourceUsage().maxRSS / 1024;
console.log(`${files.length} files, ${memory.toFixed(0)} MiB at most`);
console.log(
  `pages as pdfinfo: ${counted.filter((one) => one.pages === one.wanted).length} of ${counted.length}`,
);
console.log(`similar first page: ${similar.length} of ${drawnByBoth.length} that both draw`);
console.log(`drawn only by one: ${results.length - drawnByBoth.length}`);
