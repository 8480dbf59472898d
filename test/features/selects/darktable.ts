/**
 * Tries in darktable what selects write: `npm run test:all -- darktable`. The machine must have `darktable-cli`.
 *
 * Selects write into sidecars that are there, and make new ones. darktable reads each beside its picture, and writes the
 * rating and the color labels that it has then into an export.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Account } from '../../../src/account/current-account.js';
import { Selects } from '../../../src/features/selects/selects.js';
import { hostClock } from '../../../src/host/system.js';
import { createUxpHost } from '../../../src/host/uxp.js';
import { Observable } from '../../../src/util/observable.js';
import { createHostModules } from '../../host/modules/index.js';
import { noisePixels, tiffFile } from '../../support/located-pictures.js';
import { SIDECARS } from '../../support/sidecars.js';
import { run } from '../../service/production/programs.js';

const EXIFTOOL = path.join(
  path.dirname(createRequire(import.meta.url).resolve('exiftool-vendored.pl/package.json')),
  'bin/exiftool',
);
/** Many times the duration on a busy machine, in milliseconds. */
const LIMIT_MS = 600_000;
const BASE = 'https://service.example';

/** Sidecars that are there before, by the name of their picture. The others are new. */
const PRESENT: Readonly<Record<string, readonly [file: string, style: string]>> = {
  'full-2.tif': ['full-2.tif.xmp', 'darktable, with a rating'],
  'adobe-3.tif': ['adobe-3.xmp', 'Camera Raw 6, with a rating'],
  'bridge-4.tif': ['bridge-4.xmp', 'Bridge, without marks'],
  'exiftool-5.tif': ['exiftool-5.xmp', 'ExifTool, with empty marks'],
};

/** The pictures with the number of their stars and of their label. */
const CHOSEN = [...Object.keys(PRESENT), ...[1, 2, 3, 4, 5].map((count) => `new-${count}.tif`)].map(
  (name) => ({ name, number: Number(/\d/.exec(name)?.[0]) }),
);

const folder = mkdtempSync(path.join(tmpdir(), 'darktable-'));
try {
  const version = await run(folder, LIMIT_MS, 'darktable-cli', '--version').catch(() => null);
  if (version === null) {
    process.stderr.write('darktable-cli does not start. Install the package darktable.\n');
    process.exitCode = 1;
  } else {
    await tryAll(version);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function tryAll(version: string): Promise<void> {
  const pictures = path.join(folder, 'pictures');
  const exports = path.join(folder, 'exports');
  for (const one of [pictures, exports]) mkdirSync(one);
  for (const { name } of CHOSEN)
    writeFileSync(path.join(pictures, name), tiffFile({}, true, noisePixels(40, 30)));
  for (const [file, style] of Object.values(PRESENT))
    writeFileSync(
      path.join(pictures, file),
      SIDECARS.find(({ name }) => name === style)?.text ?? '',
    );
  await writeSelects(pictures);
  await run(
    folder,
    LIMIT_MS,
    'darktable-cli',
    ...[pictures, exports, '--out-ext', 'jpg', '--core', '--disable-opencl'],
    // Photos have one star at first, and the same star again, from `name.xmp`, takes it away.
    ...['--conf', 'ui_last/import_initial_rating=0'],
    ...['--library', ':memory:', '--configdir', path.join(folder, 'settings')],
  );
  assert.deepEqual(
    readExports(exports),
    CHOSEN.map(({ name, number }) => `${name} ${number} ${number - 1}`).sort(),
  );
  process.stdout.write(
    `darktable ${/\d+(\.\d+)+/.exec(version)?.[0] ?? ''} reads all ${CHOSEN.length} sidecars.\n`,
  );
}

/** Writes what guests chose, as the plugin does in a host. */
async function writeSelects(pictures: string): Promise<void> {
  const modules = createHostModules({
    storageDir: path.join(folder, 'storage'),
    uxpVersion: '9.2.0',
  });
  const globals = {
    createXhr: () => {
      throw new Error('no network here');
    },
    writeClipboard: () => Promise.resolve(),
    listen: () => undefined,
  };
  const { folders } = createUxpHost(modules, globals, hostClock);
  const at = '2026-11-28T12:00:00Z';
  const feedback = CHOSEN.flatMap(({ name, number }, index) => {
    const about = { photo: `photo${index}`, name, link: 'link', sha256: 'f'.repeat(64), at };
    return [
      { ...about, kind: 'stars', stars: number },
      { ...about, kind: 'label', label: number },
    ];
  });
  const selects = new Selects({
    folders,
    records: { put: () => Promise.resolve(), remove: () => Promise.resolve() },
    clock: hostClock,
    requests: {
      send: () =>
        Promise.resolve({ status: 200, text: JSON.stringify({ feedback }), header: () => null }),
    },
    api: `${BASE}/api/v1`,
    baseUrl: BASE,
    account: {
      state: new Observable<Account | null>({
        name: 'Anna',
        username: 'anna',
        workspace: { id: 'studio', name: 'Studio' },
        scopes: ['shares:write', 'uploads:read'],
      }),
    },
    owner: { get: () => ({ keys: ['anna'], workspace: null }) },
    language: () => 'en',
  });
  modules.control.pickers.answer([pictures]);
  await selects.chooseFolder();
  await selects.chooseLink({ id: 'link', name: 'Coast', expires: null });
  await selects.setReplacing(true);
  await selects.write();
  const { result, error } = selects.state.get();
  assert.deepEqual([error, result?.changed.length, result?.failed], [null, CHOSEN.length, []]);
  modules.control.end();
}

/** Such as "new-3.tif 3 2": the picture, its rating, and its color labels, which darktable counts from 0. */
function readExports(exports: string): string[] {
  const tags = ['-XMP-xmpMM:DerivedFrom', '-XMP-xmp:Rating', '-XMP-darktable:ColorLabels'];
  const text = execFileSync('perl', [EXIFTOOL, '-q', '-j', ...tags, exports], { encoding: 'utf8' });
  const found = JSON.parse(text) as readonly Readonly<Record<string, unknown>>[];
  return found
    .map(({ DerivedFrom, Rating, Colorlabels }) =>
      [DerivedFrom, Rating, Colorlabels].map(String).join(' '),
    )
    .sort();
}
