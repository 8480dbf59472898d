import type { Lifetime } from './lifetime.js';
import { HostFailure } from './lifetime.js';
import { strict } from './strict.js';

/** Image data as `getPixels` gives them. */
interface ImageData {
  readonly width: number;
  readonly height: number;
  readonly components: number;
  dispose(): Promise<void>;
}

interface PixelsOptions {
  readonly documentID?: number;
  readonly targetSize?: { readonly width?: number; readonly height?: number };
  readonly colorSpace?: string;
  readonly colorProfile?: string;
  readonly componentSize?: number;
  readonly applyAlpha?: boolean;
}

/** `require('photoshop').imaging`, as far as thumbnails need it (media/imaging). */
export interface Imaging {
  getPixels(options: PixelsOptions): Promise<{
    readonly imageData: ImageData;
    readonly sourceBounds: object;
    readonly level: number;
  }>;
  encodeImageData(options: {
    readonly imageData: Pick<ImageData, 'dispose'>;
    readonly base64?: boolean;
  }): Promise<string | number[]>;
}

/** What imaging sees of a document. */
export interface PicturedDocument {
  readonly id: number;
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

const MEMBERS = new Set([
  'documentID',
  'layerID',
  'historyStateID',
  'sourceBounds',
  'targetSize',
  'colorSpace',
  'colorProfile',
  'componentSize',
  'applyAlpha',
]);

/**
 * @param host  what the module needs of Photoshop: its documents, and whether a modal scope is open. The page does not say
 *   that reading pixels needs one; here it does.
 */
export function createImaging(
  lifetime: Lifetime,
  host: { documents(): readonly PicturedDocument[]; isModal(): boolean },
): { imaging: Imaging; undisposed: () => number } {
  const { realm } = lifetime;
  const held = new Map<object, ImageData & { readonly name: string }>();
  const refuse = (message: string): never => {
    throw new HostFailure(new realm.TypeError(message));
  };

  const checkOptions = (options: unknown): PixelsOptions => {
    if (typeof options !== 'object' || options === null) return refuse('getPixels: no options');
    const given = options as PixelsOptions;
    for (const name of Object.keys(given)) {
      if (!MEMBERS.has(name)) refuse(`getPixels: ${name} is not documented`);
    }
    const { targetSize, componentSize = 8 } = given;
    const sides = targetSize === undefined ? [] : Object.values(targetSize);
    const areWhole = sides.every((side) => Number.isInteger(side) && side > 0);
    if (!areWhole || ![-1, 8, 16, 32].includes(componentSize)) refuse('getPixels: invalid options');
    return given;
  };

  const imaging: Imaging = {
    getPixels: (options) =>
      lifetime.call(() => {
        if (!host.isModal())
          throw new Error('getPixels is only allowed from inside a modal scope (executeAsModal)');
        const {
          documentID,
          targetSize = {},
          applyAlpha = false,
          colorSpace,
        } = checkOptions(options);
        const document = host.documents().find(({ id }) => id === documentID);
        if (document === undefined) return refuse('getPixels: no such document');
        const { width = Infinity, height = Infinity } = targetSize;
        const scale = Math.min(1, width / document.width, height / document.height);
        const imageData = strict(
          'PhotoshopImageData',
          {
            width: Math.round(document.width * scale),
            height: Math.round(document.height * scale),
            components: applyAlpha && colorSpace === 'RGB' ? 3 : 4,
            dispose: () => {
              held.delete(imageData);
              return Promise.resolve();
            },
          },
          realm.Error,
        );
        const { width: w, height: h, components, dispose } = imageData;
        held.set(imageData, { width: w, height: h, components, dispose, name: document.name });
        return { imageData, sourceBounds: { left: 0, top: 0 }, level: 0 };
      }),
    encodeImageData: ({ imageData, base64 = false, ...others }) =>
      lifetime.call(() => {
        const pixels = held.get(imageData);
        if (pixels === undefined) return refuse('encodeImageData: no image data, or disposed');
        if (pixels.components !== 3) return refuse('encodeImageData: RGB only');
        if (Object.keys(others).length > 0) return refuse('encodeImageData: unknown options');
        // Not a picture, but what a test can read.
        const jpeg = Buffer.from(
          `\xff\xd8\xff ${pixels.name} ${pixels.width} x ${pixels.height}`,
          'latin1',
        );
        return base64 ? jpeg.toString('base64') : [...jpeg];
      }),
  };
  return { imaging: strict('imaging', imaging, realm.Error), undisposed: () => held.size };
}
