import type { DocumentFormat, ExportSettings } from '../../src/host/document-export.js';

/** The formats that documents can be exported in, the best first. */
export const EXPORT_FORMATS = [
  'jpg',
  'png',
  'tif',
  'psd',
] as const satisfies readonly DocumentFormat[];

/** A file made from an open document. */
export interface ExportedDocument {
  readonly name: string;
  readonly blob: Blob;
}

const TYPES: Partial<Record<DocumentFormat, string>> = { jpg: 'image/jpeg', png: 'image/png' };

/**
 * Makes a copy of a document, as "Save a copy" of a creative app would. A canvas is sRGB and has no metadata, so that part
 * of the settings changes nothing.
 *
 * @param canvas the open document.
 * @param baseName file name without extension.
 * @throws {Error} when the browser cannot make the file.
 */
export async function exportCanvas(
  canvas: HTMLCanvasElement,
  baseName: string,
  { format, quality, longEdge, bitDepth }: ExportSettings,
): Promise<ExportedDocument> {
  const name = `${baseName}.${format}`;
  if (format === 'psd') {
    return { name, blob: flatPsd(canvas) };
  }
  const sized = longEdge === null ? canvas : scaled(canvas, longEdge);
  if (format === 'tif') {
    return { name, blob: flatTiff(sized, bitDepth) };
  }
  const type = TYPES[format];
  if (type === undefined) {
    throw new Error(`This app makes no ${format}.`);
  }
  const share = Math.min(Math.max(quality / 12, 0), 1);
  const blob = await new Promise<Blob | null>((resolve) => sized.toBlob(resolve, type, share));
  if (blob === null) {
    throw new Error('The document could not be exported.');
  }
  return { name, blob };
}

/** Part of a canvas as a separate canvas. */
export function croppedTo(
  canvas: HTMLCanvasElement,
  [left, top, width, height]: readonly [number, number, number, number],
): HTMLCanvasElement {
  const part = document.createElement('canvas');
  part.width = width;
  part.height = height;
  part.getContext('2d')?.drawImage(canvas, -left, -top);
  return part;
}

/** The same picture with this longer side, unless it is smaller already. */
function scaled(canvas: HTMLCanvasElement, px: number): HTMLCanvasElement {
  const scale = Math.min(1, px / Math.max(canvas.width, canvas.height));
  const small = document.createElement('canvas');
  small.width = Math.round(canvas.width * scale);
  small.height = Math.round(canvas.height * scale);
  small.getContext('2d')?.drawImage(canvas, 0, 0, small.width, small.height);
  return small;
}

/** A small JPEG of the document in a `data:` URL. @param px  its longer side at most */
export function thumbnailOf(canvas: HTMLCanvasElement, px: number): string {
  return scaled(canvas, px).toDataURL('image/jpeg', 0.8);
}

/** A flat PSD (version 1, RGB, 8 bits, uncompressed), following Adobe's Photoshop File Formats Specification. */
function flatPsd(canvas: HTMLCanvasElement): Blob {
  const { width, height } = canvas;
  const pixels = pixelsOf(canvas);
  const bytes = new Uint8Array(26 + 4 + 4 + 4 + 2 + 3 * width * height);
  const view = new DataView(bytes.buffer);
  bytes.set([0x38, 0x42, 0x50, 0x53]); // "8BPS"
  view.setUint16(4, 1); // version
  view.setUint16(12, 3); // channels
  view.setUint32(14, height);
  view.setUint32(18, width);
  view.setUint16(22, 8); // bits per channel
  view.setUint16(24, 3); // RGB
  // Three empty sections (colour mode data, image resources, layers), then compression 0: all zero already.
  for (let channel = 0; channel < 3; channel += 1) {
    const start = 40 + channel * width * height;
    for (let i = 0; i < width * height; i += 1) {
      bytes[start + i] = pixels[i * 4 + channel] ?? 0;
    }
  }
  return new Blob([bytes], { type: 'image/vnd.adobe.photoshop' });
}

/** A TIFF of one uncompressed strip (TIFF 6.0, RGB, big-endian). */
function flatTiff(canvas: HTMLCanvasElement, bits: 8 | 16): Blob {
  const { width, height } = canvas;
  const pixels = pixelsOf(canvas);
  const bytesEach = bits / 8;
  const size = width * height * 3 * bytesEach;
  // Tag, type (3: 16 bits, 4: 32 bits), count, value.
  const entries: readonly (readonly [number, 3 | 4, number, number])[] = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 3, 8 + 2 + 9 * 12 + 4], // the bits per sample follow the directory
    [259, 3, 1, 1], // no compression
    [262, 3, 1, 2], // RGB
    [273, 4, 1, 8 + 2 + 9 * 12 + 4 + 6],
    [277, 3, 1, 3], // samples per pixel
    [278, 4, 1, height],
    [279, 4, 1, size],
  ];
  const head = 8 + 2 + entries.length * 12 + 4 + 6;
  const bytes = new Uint8Array(head + size);
  const view = new DataView(bytes.buffer);
  bytes.set([0x4d, 0x4d, 0, 42, 0, 0, 0, 8]);
  view.setUint16(8, entries.length);
  entries.forEach(([tag, type, count, value], index) => {
    const at = 10 + index * 12;
    view.setUint16(at, tag);
    view.setUint16(at + 2, type);
    view.setUint32(at + 4, count);
    if (type === 3 && count === 1) {
      view.setUint16(at + 8, value);
    } else {
      view.setUint32(at + 8, value);
    }
  });
  for (let sample = 0; sample < 3; sample += 1) {
    view.setUint16(head - 6 + sample * 2, bits);
  }
  for (let i = 0; i < width * height; i += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      const value = pixels[i * 4 + channel] ?? 0;
      const at = head + (i * 3 + channel) * bytesEach;
      bytes[at] = value;
      if (bits === 16) {
        bytes[at + 1] = value;
      }
    }
  }
  return new Blob([bytes], { type: 'image/tiff' });
}

function pixelsOf(canvas: HTMLCanvasElement): Uint8ClampedArray {
  const context = canvas.getContext('2d');
  if (context === null) {
    throw new Error('The document could not be exported.');
  }
  return context.getImageData(0, 0, canvas.width, canvas.height).data;
}
