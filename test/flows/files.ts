import { createCipheriv, createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asJpeg } from '../support/jpeg.js';

export interface TestFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** Writes files that begin as photos and continue as repeatable noise: the same names and sizes give the same bytes. */
export async function writeFiles(
  folder: string,
  sizes: Readonly<Record<string, number>>,
): Promise<TestFile[]> {
  const files: TestFile[] = [];
  for (const [name, size] of Object.entries(sizes)) {
    const bytes = asPhoto(noise(size, name), name);
    const path = join(folder, name);
    await writeFile(path, bytes);
    files.push({ path, name, size, sha256: sha256(bytes) });
  }
  return files;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Gives bytes the beginning that the ending of the name promises, as far as they reach. */
function asPhoto(bytes: Buffer, name: string): Buffer {
  if (name.endsWith('.png')) bytes.write('\x89PNG\r\n\x1a\n', 'latin1');
  else if (name.endsWith('.psd')) bytes.write('8BPS\x00\x01', 'latin1');
  else asJpeg(bytes);
  return bytes;
}

/** A key stream, of a key made of the name: fast, repeatable, and nothing a compressor could shorten. */
function noise(size: number, name: string): Buffer {
  const key = createHash('sha256').update(name).digest().subarray(0, 16);
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size));
}
