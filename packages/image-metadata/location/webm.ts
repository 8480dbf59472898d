import { EBML, elementsIn, unsignedIn, type Element } from '../ebml.js';
import { Unsearchable, type Region } from './search.js';
import { isPlaceProperty, mentionsPlace } from './words.js';

/**
 * WebM and Matroska ([RFC 9559](https://www.rfc-editor.org/rfc/rfc9559)). Tags, titles and attached files may have a place.
 * @packageDocumentation
 */

const VOID = 0xec;
const CHECKSUM = 0xbf;
const TAGS = 0x1254c367;
const TAG = 0x7373;
const SIMPLE_TAG = 0x67c8;
const TAG_NAME = 0x45a3;
const TAG_TEXT = 0x4487;
const TAG_BYTES = 0x4485;
const TITLE = 0x7ba9;
const TRACK_NAME = 0x536e;
/** Pictures and sound; other tracks are text and data. */
const HARMLESS_TRACKS = [1, 2];

/** What a segment holds without a text: places of others, index; and the elements of clusters. */
const HARMLESS = new Set<number>([
  ...[0x114d9b74, 0x1c53bb6b, EBML.cluster, CHECKSUM],
  ...[0xe7, 0x5854, 0xa7, 0xab, 0xa3, 0xa0, 0xaf],
]);

const MAX_TEXT_BYTES = 64 * 1024;
const MAX_TAG_LEVELS = 8;
const SPACE = 0x20;

/**
 * Searches a WebM or Matroska file. Attached files, chapters and unknown elements become empty space.
 * @returns where it ends
 * @throws {Unsearchable} also for tracks of text and data
 */
export async function searchWebm(file: Region): Promise<number> {
  let end = 0;
  let hasSegment = false;
  for await (const element of elementsIn(file)) {
    if (element.id === EBML.segment) {
      hasSegment = true;
      await searchSegment(element.data);
    } else if (element.id !== EBML.header && element.id !== VOID) {
      break;
    }
    end = element.end;
  }
  if (!hasSegment) {
    throw new Unsearchable('damaged');
  }
  return end;
}

async function searchSegment(segment: Region): Promise<void> {
  for await (const element of elementsIn(segment)) {
    const { id, data } = element;
    if (id === TAGS) {
      await searchTags(data);
    } else if (id === EBML.info) {
      await searchTexts(data, TITLE);
    } else if (id === EBML.tracks) {
      await searchTracks(data);
    } else if (id === VOID) {
      await data.blank();
    } else if (!HARMLESS.has(id)) {
      await removeElement(segment, element);
    }
  }
}

async function searchTracks(tracks: Region): Promise<void> {
  for await (const { id, data } of elementsIn(tracks)) {
    if (id === EBML.track) {
      for await (const { id: own, data: value } of elementsIn(data)) {
        if (own === EBML.trackType && !HARMLESS_TRACKS.includes((await unsignedIn(value)) ?? 0)) {
          throw new Unsearchable('timed-metadata');
        }
      }
      await searchTexts(data, TRACK_NAME);
    }
  }
}

/** Searches the texts of one kind. */
async function searchTexts(parent: Region, kind: number): Promise<void> {
  for await (const { id, data } of elementsIn(parent)) {
    if (id === kind && mentionsPlace(await data.text(0, MAX_TEXT_BYTES))) {
      await blankText(parent, data);
    }
  }
}

async function searchTags(tags: Region): Promise<void> {
  for await (const { id, data } of elementsIn(tags)) {
    if (id === TAG) {
      await searchTag(tags, data, 0);
    }
  }
}

/** Searches a tag and the tags in it. */
async function searchTag(tags: Region, tag: Region, level: number): Promise<void> {
  let name = '';
  for await (const { id, data } of elementsIn(tag)) {
    if (id === TAG_NAME) {
      name = await data.text(0, MAX_TEXT_BYTES);
    } else if (id === TAG_TEXT) {
      const isPlace = isPlaceProperty(name.replace(/^.*_/, '')) || mentionsPlace(name);
      if (isPlace || mentionsPlace(await data.text(0, MAX_TEXT_BYTES))) {
        await blankText(tags, data);
      }
    } else if (id === TAG_BYTES) {
      await data.blank();
    } else if (id === SIMPLE_TAG) {
      if (level === MAX_TAG_LEVELS) {
        throw new Unsearchable('limits');
      }
      await searchTag(tags, data, level + 1);
    }
  }
}

/** Removes a text. The checksum of what surrounds it no longer holds, and becomes empty space. */
async function blankText(parent: Region, text: Region): Promise<void> {
  if (await text.blank(SPACE)) {
    parent.search.hasLocation = true;
    const [first] = await parent.readUpTo(0, 1);
    if (first === CHECKSUM) {
      parent.replace(0, Uint8Array.of(VOID));
    }
  }
}

/** Gives an element the type of empty space, and zeros. Its length takes what the shorter type leaves. */
async function removeElement(
  parent: Region,
  { at, dataAt, end, data }: Element<Region>,
): Promise<void> {
  const lengthBytes = Math.min(8, dataAt - at - 1);
  const length = end - at - 1 - lengthBytes;
  if (lengthBytes < 1 || length < 0) {
    throw new Unsearchable('damaged');
  }
  const head = new Uint8Array(dataAt - at);
  head[0] = VOID;
  for (let rest = length, place = lengthBytes; place > 0; place -= 1) {
    head[place] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  const marker = 0x80 >> (lengthBytes - 1);
  if ((head[1] ?? 0) >= marker) {
    throw new Unsearchable('damaged');
  }
  head[1] = (head[1] ?? 0) | marker;
  parent.replace(at, head);
  await data.blank();
}
