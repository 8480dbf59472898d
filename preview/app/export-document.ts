import type { DocumentFormat } from '../../src/host/host.js';

/** The formats that the document can be exported in; the first is the default. */
export const EXPORT_FORMATS = ['jpg', 'png', 'psd'] as const satisfies readonly DocumentFormat[];

/** One of {@link EXPORT_FORMATS}. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A file made from the open document. */
export interface ExportedDocument {
  readonly name: string;
  readonly blob: Blob;
}

const TYPES = { jpg: 'image/jpeg', png: 'image/png' } as const;

/**
 * Makes a copy of the document, as "Save a copy" of a creative app would.
 *
 * @param canvas the open document.
 * @param baseName file name without extension.
 * @param quality for JPEG: 0 to 12, as in Photoshop.
 * @throws {Error} when the browser cannot make the file.
 */
export async function exportCanvas(
  canvas: HTMLCanvasElement,
  baseName: string,
  format: ExportFormat,
  quality: number,
): Promise<ExportedDocument> {
  const name = `${baseName}.${format}`;
  if (format === 'psd') {
    return { name, blob: flatPsd(canvas) };
  }
  const share = Math.min(Math.max(quality / 12, 0), 1);
  const blob = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, TYPES[format], share),
  );
  if (blob === null) {
    throw new Error('The document could not be exported.');
  }
  return { name, blob };
}

/** A small JPEG of the document in a `data:` URL. @param px  its longer side at most */
export function thumbnailOf(canvas: HTMLCanvasElement, px: number): string {
  const scale = Math.min(1, px / Math.max(canvas.width, canvas.height));
  const small = document.createElement('canvas');
  small.width = Math.round(canvas.width * scale);
  small.height = Math.round(canvas.height * scale);
  small.getContext('2d')?.drawImage(canvas, 0, 0, small.width, small.height);
  return small.toDataURL('image/jpeg', 0.8);
}

/** A flat PSD (version 1, RGB, 8 bits, uncompressed), following Adobe's Photoshop File Formats Specification. */
function flatPsd(canvas: HTMLCanvasElement): Blob {
  const { width, height } = canvas;
  const context = canvas.getContext('2d');
  if (context === null) {
    throw new Error('The document could not be exported.');
  }
  const pixels = context.getImageData(0, 0, width, height).data;
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
