import { statfs } from 'node:fs/promises';
import { systemErrorCode } from '../errors.js';

/** Tells how much is free where uploads are kept, in bytes. */
export type FreeDisk = () => Promise<number>;

/** How long one measurement serves everybody, in milliseconds. */
const FRESH_MS = 500;

/** Measures the file system that holds a folder, as far as this process may use it. */
export function freeDiskOf(folder: string): FreeDisk {
  return async () => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
}

/** Watches over the floor of free disk, below which uploads take no bytes. */
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

  /** Whether so many bytes more leave the floor free. What cannot be measured does not refuse. */
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

/** Whether something failed for lack of room: on the disk, of a disk quota, or in the database. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', '53100'].includes(systemErrorCode(error));
}
