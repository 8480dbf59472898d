import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';

/** A photo on disk, as a photographer would choose it. */
export interface Photo {
  readonly path: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the file, in lower-case hex. */
  readonly sha256: string;
}

/** A file to create: its name and exact size in bytes (at least 200,000). */
export interface PhotoPlan {
  readonly name: string;
  readonly size: number;
  /** Width divided by height; 1.5 by default. */
  readonly shape?: number;
}

/**
 * Makes real JPEG files of exact sizes, the same at each run.
 *
 * Chromium encodes a picture; comment segments (marker FF FE, ITU-T T.81 §B.2.4.5) with repeatable noise
 * bring it to its size. Every file but the large is then decoded again, so that none is a JPEG by name only; the
 * large ones have more segments of the same kind.
 *
 * @param page any page; it is left as it was.
 * @param folder existing folder to write to.
 */
export async function makePhotos(
  page: Page,
  folder: string,
  plans: readonly PhotoPlan[],
): Promise<Photo[]> {
  const photos: Photo[] = [];
  for (const [index, { name, size, shape = 1.5 }] of plans.entries()) {
    const picture = Buffer.from(await encodePicture(page, index, shape), 'base64');
    const bytes = padJpeg(picture, size, index + 1);
    const width = size > DECODED_UP_TO ? PICTURE_WIDTH : await decodedWidth(page, bytes);
    if (width !== PICTURE_WIDTH)
      throw new Error(`${name} does not decode as the JPEG it should be.`);
    const path = join(folder, name);
    await writeFile(path, bytes);
    photos.push({ path, name, size, sha256: createHash('sha256').update(bytes).digest('hex') });
  }
  return photos;
}

/**
 * Makes so many different JPEG files of some kilobytes each, at once.
 * @param page any page; it is left as it was.
 */
export async function makeSmallPhotos(page: Page, count: number): Promise<Buffer[]> {
  const urls = await page.evaluate((wanted) => {
    const canvas = document.createElement('canvas');
    canvas.width = 240;
    canvas.height = 160;
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('no canvas');
    return Array.from({ length: wanted }, (_, photo) => {
      for (let i = 0; i < 60; i += 1) {
        context.fillStyle = `hsl(${(photo * 12 + i * 5) % 360} 60% ${20 + i}%)`;
        context.fillRect((i * 37 + photo * 7) % canvas.width, (i * 29) % canvas.height, 50, 40);
      }
      return canvas.toDataURL('image/jpeg', 0.8);
    });
  }, count);
  return urls.map((url) => Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
}

const PICTURE_WIDTH = 960;
/** Larger files are not decoded: all of their bytes would go to the browser as text. */
const DECODED_UP_TO = 2_000_000;

async function encodePicture(page: Page, index: number, shape: number): Promise<string> {
  const url = await page.evaluate(
    (width, hue, aspect) => {
      const canvas = document.createElement('canvas');
      canvas.width = width;
      canvas.height = Math.round(width / aspect);
      const context = canvas.getContext('2d');
      if (context === null) throw new Error('no canvas');
      const { height } = canvas;
      const sky = context.createLinearGradient(0, 0, 0, height);
      sky.addColorStop(0, `hsl(${hue} 45% 32%)`);
      sky.addColorStop(0.75, `hsl(${hue + 40} 70% 78%)`);
      context.fillStyle = sky;
      context.fillRect(0, 0, width, height);
      context.fillStyle = `hsl(${hue + 50} 90% 90%)`;
      context.beginPath();
      context.arc(width * (0.3 + (hue % 100) / 250), height * 0.45, height / 9, 0, Math.PI * 2);
      context.fill();
      for (const [range, light] of [44, 30, 16].entries()) {
        context.fillStyle = `hsl(${hue + 10} 30% ${light}%)`;
        context.beginPath();
        context.moveTo(0, height);
        for (let x = 0; x <= width; x += 4) {
          const wave = Math.sin(x / (90 + 40 * range) + hue + range) + Math.sin(x / 37 + range) / 3;
          context.lineTo(x, height * (0.6 + range * 0.13) + (wave * height) / 14);
        }
        context.lineTo(width, height);
        context.fill();
      }
      return canvas.toDataURL('image/jpeg', 0.9);
    },
    PICTURE_WIDTH,
    index * 70,
    shape,
  );
  return url.slice(url.indexOf(',') + 1);
}

function padJpeg(jpeg: Buffer, size: number, seed: number): Buffer {
  const segments: Buffer[] = [];
  let missing = size - jpeg.length;
  if (missing < 4) throw new RangeError(`A photo needs at least ${jpeg.length + 4} bytes.`);
  while (missing > 0) {
    // A segment is 4 bytes and up to 65,533 more; never leave a rest that is too small for one.
    const length = missing <= 65_537 ? missing : Math.min(65_537, missing - 4);
    const segment = noise(length, seed + missing);
    segment.writeUInt16BE(0xfffe, 0);
    segment.writeUInt16BE(length - 2, 2);
    segments.push(segment);
    missing -= length;
  }
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

/** Repeatable bytes (xorshift32) that no transport can shrink. */
function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed | 0 || 1;
  for (let i = 0; i < length; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state & 0xff;
  }
  return bytes;
}

async function decodedWidth(page: Page, bytes: Buffer): Promise<number> {
  return page.evaluate(async (base64) => {
    const response = await fetch(`data:image/jpeg;base64,${base64}`);
    const bitmap = await createImageBitmap(await response.blob());
    return bitmap.width;
  }, bytes.toString('base64'));
}
