import type { PhotoshopDocument, PhotoshopModule } from './modules.js';

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
