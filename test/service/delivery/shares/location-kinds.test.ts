import { beforeAll, describe, expect, it } from '@jest/globals';
import { unzipSync } from 'fflate';
import { KEPT, REFUSED, REMOVED, SECRET } from '../../../support/metadata-samples.js';
import { library } from '../../../support/pictures.js';
import { sha256 } from '../../support/tus-client.js';
import {
  LOCATED_EXIF,
  LOCATED_XMP,
  locatedJpeg,
  locatedPng,
  locatedTiff,
  noisePixels,
  PLACE_WORDS,
} from '../../../support/located-pictures.js';
import { connectAs, openSettings, send } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { getAsAnybody, shareAs } from './sharing.js';

/** Files whose location is removed, by their names in the table of samples. */
const CLEANED = [
  'EXIF in a JPEG',
  'a segment behind bytes that fill',
  'a second JPEG behind the first',
  'a motion photo',
  'a motion photo of Samsung',
  'an MP4',
  'the keys of a MOV',
  'a HEIC with a video',
  'XMP in a PDF',
  'a picture in a PDF',
  'a GIF with XMP',
  'a JPEG 2000 with XMP',
  'an XMP sidecar',
  'XMP in a PNG, behind its pixels',
  'XMP with rdf:value',
  'an XMP list',
  'nested descriptions',
  'XMP with a comment inside',
  'geo:lat in XMP',
  'keywords in XMP',
  'XMP in UTF-16',
  'a TIFF',
  'a Photoshop file',
  'a WebP',
  'a tag of a WebM',
  'a CR3',
];
const HELD_BACK = [
  'a ZIP of photos',
  'positions of GoPro',
  'a Matroska without a segment',
  'an unknown file',
];
/** Files that photographers deliver, without a location. */
const CLEAN = Object.entries(KEPT).filter(([, file]) => file.length > 0);

if (library === undefined) throw new Error('there is no image library');
const sharp = library;
const PIXELS = noisePixels(64, 48);
/** Pictures with a location that can be decoded. */
const PICTURES = new Map<string, () => Promise<Buffer>>([
  ['a JPEG of a camera', () => locatedJpeg(PIXELS)],
  ['a PNG of an editor', () => locatedPng(PIXELS)],
  ['a TIFF of an editor', () => Promise.resolve(locatedTiff(PIXELS))],
  ['a big-endian TIFF', () => Promise.resolve(locatedTiff(PIXELS, true))],
  ...(['webp', 'avif'] as const).map((format): [string, () => Promise<Buffer>] => [
    `${format} of an editor`,
    async () =>
      sharp(await locatedPng(PIXELS))
        .withExif(LOCATED_EXIF)
        .withXmp(LOCATED_XMP)
        .toFormat(format)
        .toBuffer(),
  ]),
]);
const pixelsOf = (file: Buffer): Promise<Buffer> => sharp(file).raw().toBuffer();

/** The word as text, and in the encodings with wider characters. */
const hides = (bytes: Buffer): boolean =>
  bytes.includes(SECRET) || Buffer.from(bytes.filter((byte) => byte !== 0)).includes(SECRET);

describe('a link that removes locations', () => {
  const service = useService();
  const ids = new Map<string, string>();
  let path: string;
  let zip: Record<string, Uint8Array>;

  const pictures = new Map<string, Buffer>();
  const files: (readonly [string, Buffer])[] = [
    ...CLEANED.map((name) => [name, REMOVED[name] ?? Buffer.alloc(0)] as const),
    ...HELD_BACK.map((name) => [name, REFUSED[name]?.[0] ?? Buffer.alloc(0)] as const),
    ...CLEAN.map(([name, file]) => [`clean: ${name}`, file] as const),
  ];
  /** Characters that names of files cannot have. */
  const nameOf = (what: string): string => `${what.replaceAll(':', '')}.bin`;

  beforeAll(async () => {
    for (const [what, make] of PICTURES) {
      const file = await make();
      pictures.set(what, file);
      files.push([what, file]);
    }
    const { member } = await addWorkspaceFixture(service);
    const token = await connectAs(service, member);
    for (const [what, file] of files)
      ids.set(what, await send(service, token, nameOf(what), new Uint8Array(file)));
    const browser = await openSettings(service, member, '/projects');
    const made = await browser.submit('Create project', { name: 'Kinds' });
    const project = new URL(made.url).pathname.split('/').at(-1) ?? '';
    await service.database.query('UPDATE uploads SET project_id = $1', [project]);
    path = await shareAs(service, member, { project });
    const ask = (): Promise<Response> => getAsAnybody(service, `${path}/zip`);
    let answer = await ask();
    // On a busy machine the search of all files takes longer than one request waits.
    while (answer.status === 503) answer = await ask();
    const bytes = new Uint8Array(await answer.arrayBuffer());
    expect([answer.status, answer.headers.get('content-length')]).toEqual([
      200,
      String(bytes.length),
    ]);
    zip = unzipSync(bytes);
  });

  const request = (what: string, init?: RequestInit): Promise<Response> =>
    getAsAnybody(service, `${path}/file?photo=${ids.get(what)}`, init);
  const bytesOf = async (answer: Response): Promise<Buffer> =>
    Buffer.from(await answer.arrayBuffer());

  /** What is sent, each way. */
  async function sent(what: string): Promise<Buffer> {
    const whole = await request(what);
    const tag = whole.headers.get('etag');
    const bytes = await bytesOf(whole);
    expect([what, whole.status]).toEqual([what, 200]);
    const head = await request(what, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
      ...[200, tag],
      String(bytes.length),
    ]);
    const middle = Math.floor(bytes.length / 2);
    const parts = await Promise.all(
      [`bytes=0-${middle - 1}`, `bytes=${middle}-`].map((range) =>
        request(what, { headers: { range, 'if-range': tag ?? '' } }),
      ),
    );
    expect(parts.map(({ status }) => status)).toEqual([206, 206]);
    const joined = Buffer.concat(await Promise.all(parts.map(bytesOf)));
    expect(joined.equals(bytes)).toBe(true);
    expect(bytes.equals(zip[nameOf(what)] ?? new Uint8Array())).toBe(true);
    return bytes;
  }

  it.each(CLEANED)('sends it without: %s', async (what) => {
    const file = REMOVED[what] ?? Buffer.alloc(0);
    expect(hides(file)).toBe(true);
    const bytes = await sent(what);
    expect([bytes.length, hides(bytes)]).toEqual([file.length, false]);
  });

  it.each(HELD_BACK)('keeps back what cannot be searched: %s', async (what) => {
    const headers = { accept: 'application/json' };
    for (const init of [{}, { method: 'HEAD' }, { headers: { range: 'bytes=0-9' } }])
      expect((await request(what, init)).status).toBe(403);
    expect(await (await request(what, { headers })).json()).toMatchObject({
      error: 'location_unknown',
    });
    expect(Object.keys(zip)).not.toContain(nameOf(what));
    expect(Buffer.from(zip['Not included.txt'] ?? []).toString()).toContain(nameOf(what));
  });

  it.each([...PICTURES.keys()])('leaves the pixels of a picture as they are: %s', async (what) => {
    const file = pictures.get(what) ?? Buffer.alloc(0);
    expect([what, PLACE_WORDS.some((word) => file.includes(word))]).toEqual([what, true]);
    const bytes = await sent(what);
    expect([bytes.length, PLACE_WORDS.filter((word) => bytes.includes(word))]).toEqual([
      ...[file.length, []],
    ]);
    expect(sha256(await pixelsOf(bytes))).toBe(sha256(await pixelsOf(file)));
  });

  it.each(CLEAN)('sends a clean file as it is: %s', async (name, file) => {
    expect((await sent(`clean: ${name}`)).equals(file)).toBe(true);
  });
});
