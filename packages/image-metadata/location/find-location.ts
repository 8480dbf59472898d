import type { ByteSource } from '../byte-source.js';
import { searchBoxes } from './boxes.js';
import { searchCodestream } from './codestream.js';
import { searchExr } from './exr.js';
import { searchGif } from './gif.js';
import { searchJpeg } from './jpeg.js';
import { kindOf } from '../kinds.js';
import type { Patch } from '../patches.js';
import type { ReadLimits } from '../windowed-source.js';
import { searchPdf } from './pdf.js';
import { searchLayers, searchPhotoshop, searchResources } from './photoshop.js';
import { searchPng } from './png.js';
import { searchRaw } from './raw.js';
import {
  Search,
  SEARCH_LIMITS,
  Unsearchable,
  type Region,
  type UnsearchableReason,
} from './search.js';
import { searchTiff } from './tiff.js';
import { searchTrailer } from './trailer.js';
import { searchWebm } from './webm.js';
import { searchWebp } from './webp.js';
import { isXmp, searchXmp } from './xmp.js';

/** What a search for the location found. */
export type LocationSearch =
  | {
      readonly kind: 'searched';
      /** Whether the file has the place where it was taken, or its name. What is compressed does not count. */
      readonly hasLocation: boolean;
      /** What removes it: sorted, without overlap, within `MAX_PATCHES` and `MAX_PATCH_BYTES`. */
      readonly patches: readonly Patch[];
    }
  | { readonly kind: 'unsearchable'; readonly reason: UnsearchableReason };

/**
 * Finds the location in a file. Nothing in it is trusted: work and memory are bounded. A file that cannot be searched has
 * to be treated as if it had a location.
 * @throws {unknown} what the source throws
 */
export async function findLocation(
  source: ByteSource,
  limits: ReadLimits = SEARCH_LIMITS,
): Promise<LocationSearch> {
  const search = new Search(source, limits, {
    file: searchFile,
    first: searchFirst,
    resources: searchResources,
    layers: (layers) => searchLayers(layers, false),
  });
  try {
    await searchFile(search.file());
    return { kind: 'searched', hasLocation: search.hasLocation, patches: search.sorted() };
  } catch (error) {
    if (error instanceof Unsearchable) {
      return { kind: 'unsearchable', reason: error.reason };
    }
    throw error;
  }
}

async function searchFile(file: Region): Promise<void> {
  if (file.size === 0) {
    return;
  }
  const end = await searchFirst(file);
  if (end < file.size) {
    await searchTrailer(file.part(end));
  }
}

/** Searches a file. @returns where it ends in the region */
async function searchFirst(file: Region): Promise<number> {
  const head = await file.text(0, 1024);
  switch (kindOf(head)) {
    case 'jpeg':
      return searchJpeg(file);
    case 'png':
      return searchPng(file);
    case 'webp':
      return searchWebp(file);
    case 'gif':
      return searchGif(file);
    case 'photoshop':
      return whole(file, searchPhotoshop);
    case 'tiff':
      return whole(file, searchTiff);
    case 'boxes':
      return searchBoxes(file);
    case 'ebml':
      return searchWebm(file);
    case 'codestream':
      return searchCodestream(file);
    case 'pdf':
      return searchPdf(file);
    case 'exr':
      return searchExr(file);
    case 'raw':
      return searchRaw(file);
    case 'bmp':
    case 'jxl-codestream':
      // These have no place for a location.
      return file.size;
    case 'archive':
      throw new Unsearchable('archive');
    case null:
      if (isXmp(head)) {
        return whole(file, searchXmp);
      }
      throw new Unsearchable('unknown-kind');
  }
}

async function whole(file: Region, search: (file: Region) => Promise<void>): Promise<number> {
  await search(file);
  return file.size;
}
