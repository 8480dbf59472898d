import { CwError } from '../../util/errors.js';
import type { PhotoshopDocument, PhotoshopModule } from './photoshop-module.js';

/** Photoshop's document in front as the user sees it: an export may work on another one, or on a duplicate. */
export class PhotoshopFront {
  private held: PhotoshopDocument | null = null;

  constructor(private readonly photoshop: PhotoshopModule) {}

  /** Null without a document. @throws {unknown} what Photoshop throws, which may be for none */
  get document(): PhotoshopDocument | null {
    return this.held ?? this.photoshop.app.activeDocument;
  }

  /** Runs `work`, during which this document counts as in front. */
  async hold<T>(document: PhotoshopDocument, work: () => Promise<T>): Promise<T> {
    this.held = document;
    try {
      return await work();
    } finally {
      this.held = null;
    }
  }
}

/** The document of this key, which has to be in front. @throws {CwError} CW-803 */
export function frontDocument({ app }: PhotoshopModule, documentKey: string): PhotoshopDocument {
  let document: PhotoshopDocument | null;
  try {
    document = app.activeDocument;
  } catch (error) {
    throw new CwError('CW-803', 'no document is open', { cause: error });
  }
  if (!document || String(document.id) !== documentKey) {
    throw new CwError('CW-803', 'the document is not in front');
  }
  return document;
}
