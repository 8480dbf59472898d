import { bytesOfLatin1, indexOfBytes, latin1, uint16, uint32 } from '../byte-source.js';
import { JPEG_START } from '../jpeg.js';
import {
  DIRECTORY_POINTERS,
  numbersIn,
  PIXEL_TAGS,
  readTable,
  TAG,
  tiffForm,
  TYPE,
  TYPE_BYTES,
  withoutExifName,
  type TiffEntry,
  type TiffForm,
} from '../tiff.js';
import { Unsearchable, type Region } from './search.js';
import { searchHiddenIptc, searchIptc } from './iptc.js';
import { isPlaceKeyword } from './words.js';
import { searchXmp } from './xmp.js';

/**
 * TIFF files, and EXIF data, which are TIFF files without a picture (TIFF 6.0, EXIF 3.0). Nothing moves: what is removed
 * becomes zeros.
 * @packageDocumentation
 */

/** The positions of GeoTIFF. */
const GEO_TAGS: readonly number[] = [33550, 33922, 34264, 34735, 34736, 34737];
/** Texts that programs use for keywords. */
const TEXT_TAGS: readonly number[] = [0x010e, 0x9286, 0x9c9b, 0x9c9c, 0x9c9e, 0x9c9f];
/** Latitude, longitude, altitude, the same of what was photographed, and the name of the area. */
const PLACE_TAGS: readonly number[] = [2, 4, 6, 20, 22, 28];
/** The metadata of Photoshop's own programs in the layers of a TIFF file begin so. */
const LAYERS_HEAD = 'Adobe Photoshop Document Data Block\0';

/** More directories or values than these are not followed from one entry. */
const MAX_POINTERS = 1024;
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_MAKER_NOTE_BYTES = 4 * 1024 * 1024;

interface Entry extends TiffEntry {
  /** Its values; null where they are not in the data. */
  readonly values: Region | null;
}

/** Searches EXIF data, also behind the name that some programs write before them. @throws {Unsearchable} */
export async function searchExif(data: Region): Promise<void> {
  await new TiffSearch((await withoutExifName(data)) ?? data).run();
}

/** Searches a TIFF file, or a camera's raw file in this form. @throws {Unsearchable} */
export async function searchTiff(file: Region): Promise<void> {
  await new TiffSearch(file).run();
}

/** Searches a directory of a location that is a file itself, as in CR3. @throws {Unsearchable} */
export async function searchGpsDirectory(data: Region): Promise<void> {
  await new TiffSearch(data).runAsGps();
}

class TiffSearch {
  private form: TiffForm = { isLittle: true, isBig: false };
  private readonly directories: { readonly at: number; readonly isGps: boolean }[] = [];
  private readonly seen = new Set<number>();
  /** What is removed, and what the picture needs. */
  private readonly removed: { readonly from: number; readonly to: number }[] = [];
  private readonly pixels: { readonly offsets: Entry; readonly lengths: Entry }[] = [];

  constructor(private readonly data: Region) {}

  async run(): Promise<void> {
    await this.readAll(false);
  }

  async runAsGps(): Promise<void> {
    await this.readAll(true);
  }

  private async readAll(isGps: boolean): Promise<void> {
    const { data } = this;
    if (!data.has(0, 8)) {
      throw new Unsearchable('damaged');
    }
    const head = await data.read(0, 8);
    const form = tiffForm(latin1(head, 0, 4));
    if (form?.isBig === true) {
      throw new Unsearchable('unsupported');
    }
    if (!form) {
      throw new Unsearchable('damaged');
    }
    this.form = form;
    this.visit(uint32(head, 4, form.isLittle), isGps);
    for (let next = this.directories.shift(); next; next = this.directories.shift()) {
      await this.readDirectory(next.at, next.isGps);
    }
    await this.checkPixels();
  }

  private visit(at: number, isGps: boolean): void {
    this.data.search.step();
    // A directory of the location that is also one of another kind counts as the first.
    const key = isGps ? -at : at;
    if (at > 0 && !this.seen.has(key) && this.data.has(at, 2)) {
      this.seen.add(key);
      this.directories.push({ at, isGps });
    }
  }

  private async readDirectory(at: number, isGps: boolean): Promise<void> {
    const { entries, next } = await this.entriesOf(at);
    if (isGps) {
      await this.removeDirectory(at, entries);
      return;
    }
    for (const entry of entries) {
      await this.readEntry(entry);
    }
    await this.readPictures(entries);
    this.visit(next ?? 0, false);
  }

  private async entriesOf(
    at: number,
  ): Promise<{ readonly entries: readonly Entry[]; readonly next: number | null }> {
    const { data, form } = this;
    const table = await readTable(data, form, at, Infinity);
    const entries = (table?.entries ?? []).map((entry) => ({
      ...entry,
      values: data.has(entry.place, entry.length) ? data.part(entry.place, entry.length) : null,
    }));
    return { entries, next: table?.next ?? null };
  }

  private async readEntry(entry: Entry): Promise<void> {
    const { tag, type, values } = entry;
    const { search } = this.data;
    if (values === null || values.size === 0) {
      return;
    }
    if (DIRECTORY_POINTERS.includes(tag) || type === TYPE.directory) {
      for (const place of await this.numbersOf(entry)) {
        this.visit(place, tag === TAG.gps);
      }
    } else if (tag === TAG.xmp) {
      await search.ancillary(values, () => searchXmp(values));
    } else if (tag === TAG.iptc) {
      await this.searchIptc(entry);
    } else if (tag === TAG.photoshop) {
      await search.formats.resources(values);
    } else if (tag === TAG.layers) {
      if ((await values.text(0, LAYERS_HEAD.length)) === LAYERS_HEAD) {
        await search.formats.layers(values.part(LAYERS_HEAD.length));
      } else if (!(await values.isFilled(0))) {
        await search.formats.layers(values);
      }
    } else if (tag === TAG.panasonicJpeg) {
      await search.ancillary(values, () => search.nested(values));
    } else if (GEO_TAGS.includes(tag)) {
      search.hasLocation = (await this.remove(values)) || search.hasLocation;
    } else if (TEXT_TAGS.includes(tag)) {
      if (isPlaceKeyword(await values.text(0, MAX_TEXT_BYTES))) {
        search.hasLocation = (await this.remove(values)) || search.hasLocation;
      }
    } else if (tag === TAG.makerNote) {
      await this.searchMakerNote(values);
    }
  }

  /** Some programs write the block as numbers of four bytes in the order of the file. */
  private async searchIptc({ values, type }: Entry): Promise<void> {
    if (values === null) {
      return;
    }
    const isSwapped = this.form.isLittle && type === 4 && (await values.read(0, 1))[0] !== 0x1c;
    if (isSwapped) {
      await values.blank();
    } else {
      await this.data.search.ancillary(values, () => searchIptc(values));
    }
  }

  /** The directory of a location becomes empty, with its values. */
  private async removeDirectory(at: number, entries: readonly Entry[]): Promise<void> {
    if (!entries.some(({ tag }) => PLACE_TAGS.includes(tag))) {
      return;
    }
    const { data } = this;
    data.search.hasLocation = true;
    const length = Math.min(2 + 12 * entries.length, data.size - at);
    await this.remove(data.part(at, length));
    for (const { values } of entries) {
      if (values !== null) {
        await this.remove(values);
      }
    }
  }

  private async remove(region: Region): Promise<boolean> {
    this.removed.push({ from: region.start, to: region.start + region.size });
    return region.blank();
  }

  /** Notes of cameras whose places are known, and what looks like one in any other. */
  private async searchMakerNote(note: Region): Promise<void> {
    const { search } = this.data;
    const head = await note.text(0, 12);
    if (head.startsWith('Panasonic\0')) {
      // State, country or region, location, city, landmark.
      await this.removeNamed(
        note.start - this.data.start + 12,
        [0x65, 0x67, 0x69, 0x6b, 0x6d, 0x6f],
      );
    } else if (head.startsWith('Nikon\0\u0002') && note.size > 18) {
      const inner = new TiffSearch(note.part(10));
      await search.ancillary(note, () => inner.removeLocationInfo());
    }
    if (!(await this.isKnownNote(note, head))) {
      await this.remove(note);
      return;
    }
    const bytes = await note.readUpTo(0, MAX_MAKER_NOTE_BYTES);
    search.stream(bytes.length);
    await searchHiddenIptc(note, bytes);
    if (SIGNS.some((sign) => indexOfBytes(bytes, sign) >= 0)) {
      search.hasLocation = (await this.remove(note)) || search.hasLocation;
    }
  }

  /** Whether a note begins as one of a camera, by its name or as a directory. Another one may be anything. */
  private async isKnownNote(note: Region, head: string): Promise<boolean> {
    if (note.size < 14 || KNOWN_NOTES.some((name) => head.startsWith(name))) {
      return note.size >= 14;
    }
    const bytes = await note.read(0, 6);
    return [true, false].some((isLittle) => {
      const count = uint16(bytes, 0, isLittle);
      const type = uint16(bytes, 4, isLittle);
      return count > 0 && count < MAX_NOTE_ENTRIES && (TYPE_BYTES[type] ?? 0) > 0;
    });
  }

  private async removeLocationInfo(): Promise<void> {
    const head = await this.data.read(0, 8);
    this.form = tiffForm(latin1(head, 0, 4)) ?? this.form;
    await this.removeNamed(uint32(head, 4, this.form.isLittle), [0x39]);
  }

  private async removeNamed(at: number, tags: readonly number[]): Promise<void> {
    if (!this.data.has(at, 2)) {
      return;
    }
    for (const { tag, values } of (await this.entriesOf(at)).entries) {
      if (tags.includes(tag) && values !== null && (await this.remove(values))) {
        this.data.search.hasLocation = true;
      }
    }
  }

  /** Previews, and pixels that are a whole JPEG. */
  private async readPictures(entries: readonly Entry[]): Promise<void> {
    const entry = (tag: number): Entry | null => entries.find((one) => one.tag === tag) ?? null;
    for (const [offsetsTag, lengthsTag] of PIXEL_TAGS) {
      const [offsets, lengths] = [entry(offsetsTag), entry(lengthsTag)];
      if (!offsets || !lengths) {
        continue;
      }
      this.pixels.push({ offsets, lengths });
      const isOne = offsets.count === 1 && lengths.count === 1;
      const [at = 0] = isOne ? await this.numbersOf(offsets) : [];
      const [length = 0] = isOne ? await this.numbersOf(lengths) : [];
      if (at > 0 && length > 4 && this.data.has(at, length)) {
        await this.readPicture(this.data.part(at, length));
      }
    }
  }

  private async readPicture(picture: Region): Promise<void> {
    const { search } = this.data;
    const isJpeg = latin1(await picture.read(0, 3)) === JPEG_START;
    if (isJpeg && search.visit('jpeg', picture.start)) {
      await search.nested(picture).catch((error: unknown) => {
        if (!(error instanceof Unsearchable) || error.reason !== 'damaged') {
          throw error;
        }
      });
    }
  }

  /** @throws {Unsearchable} where zeros would overwrite pixels */
  private async checkPixels(): Promise<void> {
    if (this.removed.length === 0 || this.pixels.length === 0) {
      return;
    }
    const removed = [...this.removed].sort((one, other) => one.from - other.from);
    for (const { offsets, lengths } of this.pixels) {
      const places = await this.numbersOf(offsets, Infinity);
      const sizes = await this.numbersOf(lengths, Infinity);
      for (const [index, place] of places.entries()) {
        const from = this.data.start + place;
        if (reaches(removed, from, from + (sizes[index] ?? 0))) {
          throw new Unsearchable('damaged');
        }
      }
    }
  }

  /** The values of an entry with whole numbers. */
  private async numbersOf(
    { type, values }: Entry,
    most = MAX_POINTERS,
  ): Promise<readonly number[]> {
    const size = TYPE_BYTES[type] ?? 0;
    if (values === null || (size !== 2 && size !== 4)) {
      return [];
    }
    const count = Math.min(values.size / size, most);
    this.data.search.step(count);
    // Some readers follow a place of any type with as many bytes.
    const readType = size === 2 ? TYPE.short : TYPE.long;
    return numbersIn(await values.read(0, count * size), readType, this.form);
  }
}

const MAX_NOTE_ENTRIES = 512;
/** How the notes of cameras begin that have a name. */
const KNOWN_NOTES = [
  ...[
    'AOC\0',
    'Apple iOS\0',
    'DJI',
    'EPSON\0',
    'FUJIFILM',
    'GENERALE',
    'GE\0',
    'Google',
    'HDRP',
    'JVC',
  ],
  ...[
    'KDK',
    'LEICA',
    'MINOL',
    'MOT\0',
    'Nikon\0',
    'OLYMP',
    'OM SYSTEM',
    'Panasonic\0',
    'PENTAX',
    'QVC\0',
  ],
  ...['Ricoh', 'RICOH', 'Rv', 'Rev', 'SANYO\0', 'SIGMA', 'FOVEON', 'SONY', 'VHAB', 'II', 'MM'],
];
/** What notes of cameras have that are about a place. */
const SIGNS = ['GPSLatitude', 'GPSLongitude', '$GPGGA', '$GPRMC', 'geo:lat'].map(bytesOfLatin1);

/** Whether one of the sorted ranges begins in another one, or covers its start; by binary search. */
function reaches(
  ranges: readonly { readonly from: number; readonly to: number }[],
  from: number,
  to: number,
): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.from ?? 0) < to) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  // Ranges are values of one file, which seldom overlap: the last ones before the end decide.
  return ranges.slice(Math.max(0, low - 4), low).some((range) => range.to > from);
}
