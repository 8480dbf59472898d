import * as nodeFs from 'node:fs';
import { setImmediate as nextTask } from 'node:timers/promises';

/** The most bytes of a copy that are in memory. */
const SLICE_BYTES = 1 << 20;

/**
 * The disk under the plugin, with the faults a test wants. Every byte the plugin writes and every file it reads goes
 * through here, whether by `fs` or by `localFileSystem`.
 */
export class Disk {
  #room = Infinity;
  readonly #unreadable = new Set<string>();

  /** After this many more bytes the disk is full: a write stores what still fits and fails. */
  fullAfter(bytes: number): void {
    this.#room = bytes;
  }

  /** Ends the shortage of space. */
  makeRoom(): void {
    this.#room = Infinity;
  }

  /** Reading this file fails from now on (a lost network drive, a broken sector). */
  makeUnreadable(nativePath: string): void {
    this.#unreadable.add(nativePath);
  }

  makeReadable(nativePath: string): void {
    this.#unreadable.delete(nativePath);
  }

  /** @throws Error EIO for a file made unreadable */
  checkReadable(nativePath: string): void {
    if (this.#unreadable.has(nativePath))
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  }

  /** How many of `wanted` bytes may be written now; fewer than wanted means the disk is full afterwards. */
  take(wanted: number): number {
    const granted = Math.min(wanted, this.#room);
    this.#room -= granted;
    return granted;
  }

  readFile(nativePath: string): Uint8Array {
    this.checkReadable(nativePath);
    return nodeFs.readFileSync(nativePath);
  }

  /** @throws Error ENOSPC when the disk fills up; what fitted stays on the disk */
  writeFile(nativePath: string, bytes: Uint8Array, flag: string, mode = 0o666): void {
    const granted = this.take(bytes.byteLength);
    nodeFs.writeFileSync(nativePath, bytes.subarray(0, granted), { flag, mode });
    if (granted < bytes.byteLength) throw noSpace();
  }

  /**
   * Copies in slices, to save memory in tests with large files. Stops when `isAlive` is false, because a killed host
   * writes nothing more.
   * @throws Error ENOSPC, EIO
   */
  async copyFile(from: string, to: string, isAlive: () => boolean): Promise<void> {
    this.checkReadable(from);
    const source = nodeFs.openSync(from, 'r');
    try {
      const target = nodeFs.openSync(to, 'w');
      try {
        // No more than the file has: buffers of many small files would count as memory of the plugin.
        const slice = new Uint8Array(Math.min(SLICE_BYTES, nodeFs.fstatSync(source).size));
        for (;;) {
          const bytesRead = nodeFs.readSync(source, slice);
          if (bytesRead === 0) return;
          await nextTask();
          if (!isAlive()) return;
          const granted = this.take(bytesRead);
          nodeFs.writeSync(target, slice, 0, granted);
          if (granted < bytesRead) throw noSpace();
        }
      } finally {
        nodeFs.closeSync(target);
      }
    } finally {
      nodeFs.closeSync(source);
    }
  }
}

/** The error of a full disk, as Node and libuv spell it. */
export function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}

/** Whether an error means that the disk is full. */
export function isNoSpace(reason: unknown): boolean {
  return (
    typeof reason === 'object' &&
    reason !== null &&
    (reason as { code?: unknown }).code === 'ENOSPC'
  );
}
