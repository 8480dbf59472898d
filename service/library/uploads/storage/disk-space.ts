import { statfs } from 'node:fs/promises';
import { systemErrorCode } from '../../../kernel/errors.js';

/** Gives how many bytes are free where uploads are kept. */
export type FreeDisk = () => Promise<number>;

/** How long one measurement is reused, in milliseconds. */
const FRESH_MS = 500;

/** Measures the free space of the file system that holds a folder, counting only what this process may use. */
export function freeDiskOf(folder: string): FreeDisk {
  return async () => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
}

/** Keeps a minimum of the disk free: below this floor, uploads take no bytes. */
export class DiskSpace {
  private last: { readonly at: number; readonly free: Promise<number> } | undefined;

  /**
   * @param measure undefined where there is no disk to fill (S3).
   * @param floor in bytes.
   */
  constructor(
    private readonly measure: FreeDisk | undefined,
    private readonly floor: number,
  ) {}

  /** Whether the floor is still free after this many more bytes. True when the free space cannot be measured. */
  async hasRoomFor(bytes: number): Promise<boolean> {
    return (await this.free()) - bytes >= this.floor;
  }

  private free(): Promise<number> {
    if (this.measure === undefined) {
      return Promise.resolve(Infinity);
    }
    const now = performance.now();
    if (this.last === undefined || now - this.last.at > FRESH_MS) {
      this.last = { at: now, free: this.measure().catch(() => Infinity) };
    }
    return this.last.free;
  }
}

/** Whether something failed for lack of room: on the disk, in a disk quota, or in the database. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', '53100'].includes(systemErrorCode(error));
}
