/**
 * Compares the pictures of PDF files with those of Poppler, and of Ghostscript where it is installed:
 * `npx tsx scripts/compare-pdf.ts FOLDER`. It needs `pdfinfo` and `pdftoppm`, and the fonts that they use in place of the standard
 * fonts of PDF (Debian: `fonts-urw-base35`). Run it before a change of the library, with public files such as the test files of
 * mozilla/pdf.js. It prints one line for each file: how many pages each counts, how far the first page differs from that of
 * Poppler, that of Ghostscript, and between both (the mean difference of two small pictures, of 255), and how long it took.
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
  /** From Poppler, from Ghostscript, and between both. */
  readonly differences: readonly (number | undefined)[];
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

async function byGhostscript(file: string): Promise<Buffer | undefined> {
  const drawn = await run(
    'gs',
    [
      ...['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-dUseCropBox', '-dFirstPage=1', '-dLastPage=1'],
      ...['-sDEVICE=png16m', '-dTextAlphaBits=4', '-dGraphicsAlphaBits=4', '-r100'],
      ...['-sOutputFile=-', '-sstdout=%stderr', file],
    ],
    { timeout: 60_000, maxBuffer: 256e6, encoding: 'buffer' },
  ).catch(() => undefined);
  return drawn !== undefined && drawn.stdout.length > 0 ? drawn.stdout : undefined;
}

/** The mean difference of two small pictures, of 255. */
function between(one: Buffer | undefined, other: Buffer | undefined): number | undefined {
  return (
    one &&
    other &&
    one.reduce((total, value, at) => total + Math.abs(value - (other[at] ?? 0)), 0) / one.length
  );
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
  const ours =
    page &&
    (await small(
      sharp(Buffer.from(page.data.buffer), {
        raw: { width: page.width, height: page.height, channels: 4 },
      }),
    ));
  const [poppler, ghostscript] = await Promise.all(
    [picture, await byGhostscript(file)].map(
      async (one) => one && (await small(sharp(one, { limitInputPixels: false }))),
    ),
  );
  return {
    ...facts,
    differences: [
      between(ours, poppler),
      between(ours, ghostscript),
      between(poppler, ghostscript),
    ],
  };
}

const [folder = '.'] = process.argv.slice(2);
const files = (await readdir(folder)).filter((name) => name.endsWith('.pdf')).sort();
const results: Result[] = [];
for (const name of files) {
  const result = await compare(path.join(folder, name));
  results.push(result);
  const { pages, wanted, differences, ms } = result;
  console.log(
    [
      name,
      `pages ${pages ?? '-'}/${wanted ?? '-'}`,
      differences.map((one) => one?.toFixed(1) ?? '-').join(' / '),
      `${ms} ms`,
    ].join('\t'),
  );
}
const alike = (of: number, wanted: (found: readonly (number | undefined)[]) => boolean): string =>
  `${results.filter(({ differences }) => wanted(differences)).length} of ${of}`;
const isNear = (difference = 255): boolean => difference <= SIMILAR;
const drawn = results.filter(({ differences: [poppler] }) => poppler !== undefined).length;
const checked = results.filter(({ differences: [one, other] }) => (one ?? other) !== undefined);
const counted = results.filter(({ wanted }) => wanted !== undefined);
const memory = process.resourceUsage().maxRSS / 1024;
console.log(`${files.length} files, ${memory.toFixed(0)} MiB at most`);
console.log(
  `pages as pdfinfo: ${counted.filter((one) => one.pages === one.wanted).length} of ${counted.length}`,
);
console.log(`like Poppler: ${alike(drawn, ([poppler]) => isNear(poppler))} that both draw`);
console.log(
  `like one of both: ${alike(checked.length, ([one, other]) => isNear(one) || isNear(other))}`,
);
console.log(`the two alike: ${alike(checked.length, ([, , both]) => isNear(both))}`);
