import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createdAt } from '../../../../service/library/previews/documents/inspect-document.js';
import type { ImageInfo, Pictures } from '../../../../service/library/previews/image-info.js';
import {
  ImageWorker,
  IMAGE_WORKER_LIMITS,
  type InspectedImage,
} from '../../../../service/library/previews/image-worker.js';
import { compiled } from '../../../support/compiled.js';
import { pdf } from '../../../support/pdf.js';
import { library as sharp } from '../../../support/pictures.js';

type Found = ImageInfo & InspectedImage;

const SECRET = `<${'5a'.repeat(32)}>`;
const LOCKED = pdf({
  objects: [`<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O ${SECRET} /U ${SECRET} >>`],
  trailer: `/Encrypt 100 0 R /ID [${SECRET} ${SECRET}]`,
});

/** A string of a PDF in UTF-16. */
function hex(text: string): string {
  return `<${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
}

/** The objects of a font of Japanese, Chinese or Korean that is not in the file. */
function notEmbedded(name: string, ordering: string, encoding: string): string[] {
  const encoded = `${encoding}-UTF16-H`;
  return [
    `<< /Type /Font /Subtype /Type0 /BaseFont /${name}-${encoded} /Encoding /${encoded} /DescendantFonts [101 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${name} /FontDescriptor 102 0 R
       /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 6 >> >>`,
    `<< /Type /FontDescriptor /FontName /${name} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880
       /Descent -120 /CapHeight 700 /StemV 80 >>`,
  ];
}

describe('a document', () => {
  let folder: string;
  const worker = new ImageWorker(
    IMAGE_WORKER_LIMITS,
    compiled('service/library/previews/image-worker-process.ts'),
  );
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'documents-'));
  });
  afterAll(async () => {
    worker.end();
    await rm(folder, { recursive: true, force: true });
  });

  const stored = async (bytes: Buffer): Promise<{ file: string; size: number }> => {
    const file = path.join(folder, 'file.pdf');
    await writeFile(file, bytes);
    return { file, size: bytes.length };
  };

  const look = async (bytes: Buffer): Promise<Found | string> => {
    const place = await stored(bytes);
    let found: ImageInfo = {};
    const result = await worker.inTurn('workspace', (inspect) =>
      inspect(
        {
          ...{ ...place, mediaType: 'application/pdf', isWhole: true },
          ...{ findsLocation: false, hasLocation: false, makesPictures: true },
        },
        {
          saveLocation: () => Promise.reject(new Error('not searched')),
          saveFacts: (facts) => {
            found = facts;
            return Promise.resolve();
          },
          read: () => Promise.reject(new Error('all of it is there')),
        },
      ),
    );
    return typeof result === 'string' ? result : { ...found, ...result };
  };

  const pages = async (
    bytes: Buffer,
    numbers: readonly number[],
  ): Promise<[number, Pictures | undefined][]> => {
    const made: [number, Pictures | undefined][] = [];
    await worker.pages('workspace', { ...(await stored(bytes)), pages: numbers }, (page, one) => {
      made.push([page, one]);
      return Promise.resolve();
    });
    return made;
  };

  /** The colours of a picture at these parts of its width, in the middle of its height, each as `rrggbb`. */
  const coloursAt = async (picture: Buffer | undefined, ...parts: number[]): Promise<string[]> => {
    if (sharp === undefined || picture === undefined) throw new Error('no picture');
    const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
    return parts.map((part) => {
      const column = Math.floor(part * info.width);
      const at = (Math.floor(info.height / 2) * info.width + column) * info.channels;
      return data.subarray(at, at + 3).toString('hex');
    });
  };

  if (sharp === undefined) {
    return;
  }

  it('has the facts of its first page, and its pictures', async () => {
    const found = await look(
      pdf({
        pages: [
          { entries: '/MediaBox [0 0 200 100]' },
          { entries: '/MediaBox [0 0 100 200]' },
          { entries: '/MediaBox [0 0 100 200]' },
        ],
        objects: ["<< /CreationDate (D:20260501102030+02'00') >>"],
        trailer: '/Info 100 0 R',
      }),
    );
    expect(found).toMatchObject({
      ...{ width: 200, height: 100, capturedAt: '2026-05-01T10:20:30+02:00' },
      media: { kind: 'document', pages: 3 },
      pictures: { width: 2048, height: 1024 },
    });
    const { pictures } = found as Found;
    const [left = '', right] = await coloursAt(pictures?.preview, 0.25, 0.75);
    expect([left.slice(0, 1), right]).toEqual(['f', 'ffffff']);
    await expect(sharp?.(pictures?.thumbnail).metadata()).resolves.toMatchObject({
      format: 'webp',
      width: 512,
      height: 256,
    });
  });

  it('has pictures of the pages that are wanted, in this order', async () => {
    const three = pdf({
      pages: [
        {},
        { entries: '/MediaBox [0 0 100 200]', content: '0 1 0 0 k 0 0 100 200 re f' },
        { entries: '/MediaBox [0 0 300 100] /Rotate 90', content: '0 0 1 rg 0 0 300 100 re f' },
      ],
    });
    const made = await pages(three, [3, 2, 4]);
    expect(made.map(([page, one]) => [page, one && [one.width, one.height]])).toEqual([
      [3, [683, 2048]],
      [2, [1024, 2048]],
      [4, undefined],
    ]);
    const [blue = ''] = await coloursAt(made[0]?.[1]?.preview, 0.5);
    const [magenta = ''] = await coloursAt(made[1]?.[1]?.preview, 0.5);
    expect(blue).toMatch(/^0.0.f/);
    // Of process colours, as they are printed: neither pure nor black.
    expect(magenta).toMatch(/^[d-f].[0-3].[7-a]/);
  });

  const ONE_PAGE = { media: { kind: 'document', pages: 1 } };
  const NONE = { pictures: undefined };
  const OF_2048 = { width: 2048, height: 2048 };
  it.each<[string, Buffer, object]>([
    ['needs a password', LOCKED, NONE],
    ['is truncated', pdf().subarray(0, 120), NONE],
    ['is only a header', Buffer.from('%PDF-1.7\n'), NONE],
    ['has no pages', pdf({ pages: [] }), NONE],
    [
      'has itself among its pages',
      pdf({ tree: '/Count 2 /Kids [2 0 R 10 0 R]' }),
      { width: 200, pictures: { width: 2048 } },
    ],
    [
      'has a page of 65,000 points',
      pdf({ pages: [{ entries: '/MediaBox [0 0 65000 65000]' }] }),
      { ...ONE_PAGE, width: 65000, height: 65000, pictures: OF_2048 },
    ],
    [
      'has a page without height',
      pdf({ pages: [{ entries: '/MediaBox [0 0 100 0]' }] }),
      { ...ONE_PAGE, width: 612, height: 792 },
    ],
    [
      'has a page as wide as a country',
      pdf({ pages: [{ entries: '/MediaBox [0 0 1000000000 100]' }] }),
      { ...ONE_PAGE, ...NONE },
    ],
    [
      'counts more pages than it has',
      pdf({ tree: '/Count 1000000000 /Kids [10 0 R]' }),
      { width: 200, pictures: { width: 2048 } },
    ],
    [
      'has a script that never ends',
      pdf({
        catalog: '/OpenAction << /S /JavaScript /JS (for(;;);) >> /AcroForm << /Fields [] >>',
      }),
      { ...ONE_PAGE, pictures: { width: 2048 } },
    ],
  ])(
    'ends in a clear state, and the next one is read: a file that %s',
    async (_what, bytes, state) => {
      expect(await look(bytes)).toMatchObject(state);
      expect(await look(pdf())).toMatchObject({ ...ONE_PAGE, pictures: { width: 2048 } });
    },
  );

  it.each<readonly [string, boolean, string, readonly string[]]>([
    ['Latin', true, '(Coast)', ['<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']],
    ['Japanese', false, hex('写真'), notEmbedded('KozMinPr6N-Regular', 'Japan1', 'UniJIS')],
    ['simplified Chinese', false, hex('确认'), notEmbedded('AdobeSongStd-Light', 'GB1', 'UniGB')],
    [
      'traditional Chinese',
      false,
      hex('確認'),
      notEmbedded('AdobeMingStd-Light', 'CNS1', 'UniCNS'),
    ],
    ['Korean', false, hex('사진'), notEmbedded('AdobeMyungjoStd-Medium', 'Korea1', 'UniKS')],
  ])('shows text in %s whose font is not embedded: %p', async (_, isShown, text, objects) => {
    const entries = '/MediaBox [0 0 200 100] /Resources << /Font << /F1 100 0 R >> >>';
    const content = `BT /F1 30 Tf 10 40 Td ${text} Tj ET`;
    const found = await look(pdf({ pages: [{ entries, content }], objects }));
    const preview = typeof found === 'string' ? undefined : found.pictures?.preview;
    const { channels = [] } = (await sharp?.(preview).stats()) ?? {};
    expect(channels.length).toBeGreaterThan(0);
    expect(channels.some(({ min }) => min < 128)).toBe(isShown);
  });

  it.each([
    ["D:20260501102030+02'00'", '2026-05-01T10:20:30+02:00'],
    ['D:20260501102030Z', '2026-05-01T10:20:30+00:00'],
    ['D:20260501102030', '2026-05-01T10:20:30'],
    ['D:20260501', undefined],
    ['D:20260231102030', undefined],
    ['D:00000000000000', undefined],
    ['', undefined],
  ])('was made when it says so, if that is possible: %s', (text, time) => {
    expect(createdAt(text)).toBe(time);
  });
});
