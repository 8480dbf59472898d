/** The description of one file in a ZIP. */
export interface ZipEntry {
  /** At most 65,535 bytes in UTF-8. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /**
   * Written in the extended timestamp, which has no zone, and for older programs in the time zone of this process.
   */
  readonly modifiedAt: Date;
}

/** From here on a number does not fit its 32-bit field, and is in a ZIP64 field instead. */
const TOO_LARGE = 0xffff_ffff;

/** The last number that fits a 16-bit field for counts. */
const MAX_ENTRIES = 0xfffe;

/** The file is stored, its CRC-32 comes after its bytes (bit 3), and its name is UTF-8 (bit 11). */
const FLAGS = 0x0808;

/** Version 4.5 of the format: ZIP64. */
const VERSION = 45;

/** Made on a Unix system. */
const MADE_BY = 0x0300 | VERSION;

/** A plain file that everybody may read. */
const ATTRIBUTES = 0o100644 * 0x1_0000;

const LOCAL_HEADER = 30;
const DIRECTORY_HEADER = 46;
const END = 22;
const END_64 = 76;
/** The ZIP64 field of a local header: its tag, its length and two sizes. */
const LOCAL_EXTRA = 20;
/** The extended timestamp of Info-ZIP, which unpackers prefer: its tag, its length, what it has, and seconds since 1970. */
const TIMESTAMP_EXTRA = 9;
const TIMESTAMP_TAG = 0x5455;
const HAS_MODIFICATION_TIME = 1;
const MAX_TIMESTAMP = 0x7fff_ffff;

/*
 * The parts of a ZIP file whose files are stored without compression, as
 * https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT describes them in §4.3. Sizes are known beforehand,
 * checksums are not: each follows the bytes of its file. A file of 4 GiB or more has a ZIP64 field in its local header;
 * without one, readers take the sizes after its bytes for 32-bit numbers.
 */

/** The header before the bytes of a file. */
export function localHeader(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.name);
  const isLarge = entry.size >= TOO_LARGE;
  const header = Buffer.alloc(LOCAL_HEADER);
  header.writeUInt32LE(0x0403_4b50, 0);
  writeCommon(header, 4, entry, name.length);
  // With bit 3, the checksum and the sizes are zero here.
  header.writeUInt32LE(isLarge ? TOO_LARGE : 0, 18);
  header.writeUInt32LE(isLarge ? TOO_LARGE : 0, 22);
  header.writeUInt16LE(TIMESTAMP_EXTRA + (isLarge ? LOCAL_EXTRA : 0), 28);
  return Buffer.concat([
    ...[header, name, timestampField(entry)],
    ...(isLarge ? [zip64Field([entry.size, entry.size])] : []),
  ]);
}

/** The record after the bytes of a file. */
export function dataDescriptor({ size }: Pick<ZipEntry, 'size'>, crc32: number): Buffer {
  const isLarge = size >= TOO_LARGE;
  const descriptor = Buffer.alloc(descriptorLength(size));
  descriptor.writeUInt32LE(0x0807_4b50, 0);
  descriptor.writeUInt32LE(crc32, 4);
  if (isLarge) {
    descriptor.writeBigUInt64LE(BigInt(size), 8);
    descriptor.writeBigUInt64LE(BigInt(size), 16);
  } else {
    descriptor.writeUInt32LE(size, 8);
    descriptor.writeUInt32LE(size, 12);
  }
  return descriptor;
}

/**
 * The entry of a file in the directory at the end.
 * @param offset where the local header of the file begins.
 */
export function directoryHeader(entry: ZipEntry, crc32: number, offset: number): Buffer {
  const name = Buffer.from(entry.name);
  const { size } = entry;
  const large = largeNumbers(size, offset);
  const extra = large.length === 0 ? [] : [zip64Field(large)];
  const header = Buffer.alloc(DIRECTORY_HEADER);
  header.writeUInt32LE(0x0201_4b50, 0);
  header.writeUInt16LE(MADE_BY, 4);
  writeCommon(header, 6, entry, name.length);
  header.writeUInt32LE(crc32, 16);
  header.writeUInt32LE(Math.min(size, TOO_LARGE), 20);
  header.writeUInt32LE(Math.min(size, TOO_LARGE), 24);
  header.writeUInt16LE(TIMESTAMP_EXTRA + (extra[0]?.length ?? 0), 30);
  header.writeUInt32LE(ATTRIBUTES, 38);
  header.writeUInt32LE(Math.min(offset, TOO_LARGE), 42);
  return Buffer.concat([header, name, timestampField(entry), ...extra]);
}

/** The end of a ZIP file, and where its directory is. */
export function endOfZip(directory: {
  readonly entries: number;
  readonly offset: number;
  readonly length: number;
}): Buffer {
  const { entries, offset, length } = directory;
  const end = Buffer.alloc(END);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(Math.min(entries, 0xffff), 8);
  end.writeUInt16LE(Math.min(entries, 0xffff), 10);
  end.writeUInt32LE(Math.min(length, TOO_LARGE), 12);
  end.writeUInt32LE(Math.min(offset, TOO_LARGE), 16);
  if (!isZip64(directory)) {
    return end;
  }
  const end64 = Buffer.alloc(END_64);
  end64.writeUInt32LE(0x0606_4b50, 0);
  // The length of this record without its first 12 bytes.
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt16LE(MADE_BY, 12);
  end64.writeUInt16LE(VERSION, 14);
  end64.writeBigUInt64LE(BigInt(entries), 24);
  end64.writeBigUInt64LE(BigInt(entries), 32);
  end64.writeBigUInt64LE(BigInt(length), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  // The locator of this record.
  end64.writeUInt32LE(0x0706_4b50, 56);
  end64.writeBigUInt64LE(BigInt(offset + length), 64);
  end64.writeUInt32LE(1, 72);
  return Buffer.concat([end64, end]);
}

/** How long a ZIP file gets, in bytes. */
export class ZipLength {
  private entries = 0;
  private files = 0;
  private directory = 0;

  /** @param nameLength the length of the name in bytes. */
  add(nameLength: number, size: number): void {
    const large = largeNumbers(size, this.files).length;
    this.entries += 1;
    this.directory +=
      DIRECTORY_HEADER + nameLength + TIMESTAMP_EXTRA + (large === 0 ? 0 : 4 + 8 * large);
    this.files += lengthInZip(nameLength, size);
  }

  /** The length of the complete ZIP with the files added so far. */
  get total(): number {
    const { entries, files, directory } = this;
    const is64 = isZip64({ entries, offset: files, length: directory });
    return files + directory + END + (is64 ? END_64 : 0);
  }
}

/** How many bytes a file takes before the directory. */
export function lengthInZip(nameLength: number, size: number): number {
  const extra = TIMESTAMP_EXTRA + (size >= TOO_LARGE ? LOCAL_EXTRA : 0);
  return LOCAL_HEADER + nameLength + extra + size + descriptorLength(size);
}

function descriptorLength(size: number): number {
  return size >= TOO_LARGE ? 24 : 16;
}

/** The numbers of a directory entry that need a ZIP64 field, in their order there. */
function largeNumbers(size: number, offset: number): number[] {
  return [...(size >= TOO_LARGE ? [size, size] : []), ...(offset >= TOO_LARGE ? [offset] : [])];
}

function isZip64(directory: { entries: number; offset: number; length: number }): boolean {
  const { entries, offset, length } = directory;
  return entries > MAX_ENTRIES || offset >= TOO_LARGE || length >= TOO_LARGE;
}

/** The fields that both headers of a file have, from the version that a reader needs to the modification time. */
function writeCommon(
  header: Buffer,
  at: number,
  { modifiedAt }: Pick<ZipEntry, 'modifiedAt'>,
  nameLength: number,
): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(FLAGS, at + 2);
  header.writeUInt32LE(dosTime(modifiedAt), at + 6);
  header.writeUInt16LE(nameLength, at + 22);
}

function timestampField({ modifiedAt }: Pick<ZipEntry, 'modifiedAt'>): Buffer {
  const seconds = Math.floor(modifiedAt.getTime() / 1000);
  const field = Buffer.alloc(TIMESTAMP_EXTRA);
  field.writeUInt16LE(TIMESTAMP_TAG, 0);
  field.writeUInt16LE(TIMESTAMP_EXTRA - 4, 2);
  field.writeUInt8(HAS_MODIFICATION_TIME, 4);
  field.writeInt32LE(Math.min(Math.max(seconds, 0), MAX_TIMESTAMP), 5);
  return field;
}

function zip64Field(numbers: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * numbers.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * numbers.length, 2);
  for (const [index, number] of numbers.entries()) {
    field.writeBigUInt64LE(BigInt(number), 4 + 8 * index);
  }
  return field;
}

/** A time in the format of MS-DOS: in steps of two seconds, from 1980 to 2107. */
function dosTime(time: Date): number {
  const year = Math.min(Math.max(time.getFullYear() - 1980, 0), 127);
  const date = (year << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
  return date * 0x1_0000 + clock;
}
