import { randomBytes } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { asJpeg } from '../../test/support/jpeg.js';

const BLOCK = 1024 * 1024;

/** Writes files with the start of a photo and random bytes, and returns their paths. */
export async function writeNoise(
  folder: string,
  kind: string,
  count: number,
  size: number,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const noise = asJpeg(randomBytes(Math.min(size, BLOCK)));
  const paths: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const path = join(folder, `${kind} ${String(number).padStart(4, '0')}.jpg`);
    const file = await open(path, 'w');
    try {
      // Every file differs from the others.
      noise.writeUInt32LE(number, 4);
      for (let written = 0; written < size; written += noise.length) {
        await file.write(noise, 0, Math.min(noise.length, size - written));
      }
    } finally {
      await file.close();
    }
    paths.push(path);
  }
  return paths;
}
