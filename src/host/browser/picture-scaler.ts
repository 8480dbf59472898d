import { fromUint8Array } from 'js-base64';
import type { PictureScaler } from '../host.js';
import { bytesOf, type BinaryBody } from '../http.js';

/** The parts of a browser's drawing that are used. */
export interface DrawingGlobals {
  /** The other side follows from the picture's shape. */
  createImageBitmap(
    picture: Blob,
    options: { readonly resizeWidth: number; readonly resizeQuality: 'medium' },
  ): Promise<Bitmap>;
  readonly OffscreenCanvas: new (width: number, height: number) => Canvas;
}

interface Bitmap {
  readonly width: number;
  readonly height: number;
  close(): void;
}

interface Canvas {
  getContext(kind: '2d'): {
    fillStyle: string;
    fillRect(x: number, y: number, width: number, height: number): void;
    drawImage(picture: Bitmap, x: number, y: number, width: number, height: number): void;
  } | null;
  convertToBlob(options: { readonly type: string; readonly quality: number }): Promise<Blob>;
}

const QUALITY = 0.8;

/** Makes thumbnails with the browser's own decoders. */
export function createPictureScaler(drawing: DrawingGlobals): PictureScaler {
  return {
    async scale(picture, px) {
      try {
        return await draw(drawing, picture, px);
      } catch {
        return null;
      }
    },
  };
}

async function draw(
  drawing: DrawingGlobals,
  picture: BinaryBody,
  px: number,
): Promise<string | null> {
  const blob = 'arrayBuffer' in picture ? picture : new Blob([picture]);
  const bitmap = await drawing.createImageBitmap(blob, {
    resizeWidth: px,
    resizeQuality: 'medium',
  });
  try {
    const scale = Math.min(1, px / Math.max(bitmap.width, bitmap.height));
    const width = Math.max(1, Math.round(bitmap.width * scale));
    const height = Math.max(1, Math.round(bitmap.height * scale));
    const canvas = new drawing.OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    if (!context) {
      return null;
    }
    context.fillStyle = 'white';
    context.fillRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0, width, height);
    const jpeg = await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
    return `data:image/jpeg;base64,${fromUint8Array(new Uint8Array(await bytesOf(jpeg)))}`;
  } finally {
    bitmap.close();
  }
}
