import type { JobLimits } from '../watchdog.js';
import { readTime } from '../captured-at.js';
import { encodePictures, type InspectionAids, type Sharp } from '../inspect-image.js';
import {
  MAX_SIDE,
  type ImageInfo,
  type ImageJob,
  type PagesJob,
  type SentPictures,
} from '../image-info.js';
import { MAX_PAGES } from '../media-info.js';
import { MAX_DOCUMENT_BYTES } from './document-type.js';
import { openDocument, type DocumentFacts, type PagePixels } from './open-document.js';

/** What one document may take. Its file is in memory as a whole. */
export const DOCUMENT_LIMITS: JobLimits = { processorMs: 10_000, memoryBytes: 512e6 };

/** No further page is begun after this processor time, in milliseconds: slow pages come one by one. */
const PAGES_MS = 3000;

/** `D:YYYYMMDDHHmmSSOHH'mm'` (ISO 32000-1, 7.9.4). What follows the year may be missing; a date needs all of it here. */
const DATE = /^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(Z|[+-]\d\d(?:'\d\d)?)?/;

/**
 * Finds out how many pages a PDF has, how large the first one is and when it was made, and makes a thumbnail and a preview of that
 * page. A hostile file may take long or much memory: call this only in a process with {@link DOCUMENT_LIMITS}.
 * @returns undefined when no picture can be made
 */
export async function inspectDocument(
  library: Sharp,
  { file, size, isWhole }: ImageJob,
  { saveFacts }: Pick<InspectionAids, 'saveFacts'>,
): Promise<SentPictures | undefined> {
  const document =
    isWhole && size <= MAX_DOCUMENT_BYTES ? await openDocument(file, size) : undefined;
  await saveFacts(document === undefined ? {} : factsOf(document));
  try {
    return await encodePage(library, await document?.draw(1));
  } finally {
    await document?.close();
  }
}

/**
 * Makes the pictures of some pages of a PDF, in this order; slow ones are left out, but never the first.
 * @param savePage stores a page; without pictures where it cannot be drawn
 */
export async function renderPages(
  library: Sharp,
  { file, size, pages }: PagesJob,
  savePage: (page: number, pictures: SentPictures | undefined) => Promise<void>,
): Promise<void> {
  const before = process.cpuUsage();
  const isOver = (): boolean => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 > PAGES_MS;
  };
  const document = size <= MAX_DOCUMENT_BYTES ? await openDocument(file, size) : undefined;
  try {
    for (const [index, page] of pages.entries()) {
      if (index > 0 && (document === undefined || isOver())) {
        return;
      }
      await savePage(page, await encodePage(library, await document?.draw(page)));
    }
  } finally {
    await document?.close();
  }
}

function factsOf({ pages, size, created }: DocumentFacts): ImageInfo {
  const [width = 0, height = 0] = [size?.width, size?.height].map((side) => Math.round(side ?? 0));
  const capturedAt = createdAt(created);
  return {
    ...([width, height].every((side) => side > 0 && side <= MAX_SIDE) && { width, height }),
    ...(capturedAt !== undefined && { capturedAt }),
    ...(pages > 0 && pages <= MAX_PAGES && { media: { kind: 'document', pages } }),
  };
}

/** When a document was made, in the form of `image-info.ts`; undefined when that is missing or impossible. */
export function createdAt(text: string): string | undefined {
  const [match, year, month, day, hour, minute, second, zone = ''] = DATE.exec(text) ?? [];
  return match === undefined
    ? undefined
    : readTime(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone.replace("'", ':')}`);
}

async function encodePage(
  library: Sharp,
  page: PagePixels | undefined,
): Promise<SentPictures | undefined> {
  if (page === undefined) {
    return undefined;
  }
  const { data, width, height } = page;
  const opaque = await library(Buffer.from(data.buffer), { raw: { width, height, channels: 4 } })
    .flatten({ background: '#fff' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return encodePictures(library, opaque);
}
