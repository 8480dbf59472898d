import { deflateSync } from 'node:zlib';

/** The body of an object of a PDF, such as `<< /Type /Catalog >>`, or its dictionary and the bytes of its stream. */
type PdfObject = string | readonly [dictionary: string, stream: string | Buffer];

/** What a small PDF has; by default one page of 200 × 100 points, half red. */
interface PdfParts {
  /** The pages, each as the entries of its dictionary and its content. */
  readonly pages?: readonly { readonly entries?: string; readonly content?: string }[];
  /** Further entries of the catalog, of the page tree, and of the trailer. */
  readonly catalog?: string;
  readonly tree?: string;
  readonly trailer?: string;
  /** Further objects, with the numbers 100 to 999. */
  readonly objects?: readonly PdfObject[];
}

/** The left half of a page of 200 × 100 points, in red. */
export const HALF_RED = '1 0 0 rg 0 0 100 100 re f';

/**
 * A PDF as small as it can be. Objects 1 and 2 are the catalog and the page tree; pages and their contents are 10, 11, 12, …, and 1000,
 * 1001, … behind the 45th page.
 */
export function pdf({
  pages = [{}],
  catalog = '',
  tree,
  trailer = '',
  objects = [],
}: PdfParts = {}): Buffer {
  const numbers = pages.map((_, index) => (index < 45 ? 10 : 910) + 2 * index);
  const kids = numbers.map((number) => `${number} 0 R`).join(' ');
  const all = new Map<number, PdfObject>([
    [1, `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`],
    [2, `<< /Type /Pages ${tree ?? `/Count ${pages.length} /Kids [${kids}]`} >>`],
  ]);
  pages.forEach(({ entries = '/MediaBox [0 0 200 100]', content = HALF_RED }, index) => {
    const number = numbers[index] ?? 0;
    all.set(number, `<< /Type /Page /Parent 2 0 R ${entries} /Contents ${number + 1} 0 R >>`);
    all.set(number + 1, ['', content]);
  });
  objects.forEach((object, index) => all.set(100 + index, object));
  return assemble(all, trailer);
}

/** A dictionary and the bytes of a stream, deflated. */
export function deflated(dictionary: string, bytes: Uint8Array): PdfObject {
  return [`${dictionary} /Filter /FlateDecode`, deflateSync(bytes)];
}

function assemble(objects: ReadonlyMap<number, PdfObject>, trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const places = new Map<number, number>();
  let at = parts[0]?.length ?? 0;
  const add = (part: Buffer): void => {
    parts.push(part);
    at += part.length;
  };
  for (const [number, object] of objects) {
    places.set(number, at);
    if (typeof object === 'string') {
      add(Buffer.from(`${number} 0 obj\n${object}\nendobj\n`, 'latin1'));
      continue;
    }
    const stream = Buffer.from(object[1] as string, 'latin1');
    add(
      Buffer.from(
        `${number} 0 obj\n<< /Length ${stream.length} ${object[0]} >>\nstream\n`,
        'latin1',
      ),
    );
    add(stream);
    add(Buffer.from('\nendstream\nendobj\n', 'latin1'));
  }
  const start = at;
  const table = [...places].map(
    ([number, place]) => `${number} 1\n${String(place).padStart(10, '0')} 00000 n \n`,
  );
  const size = Math.max(...places.keys()) + 1;
  add(
    Buffer.from(
      `xref\n0 1\n0000000000 65535 f \n${table.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
      'latin1',
    ),
  );
  return Buffer.concat(parts);
}
