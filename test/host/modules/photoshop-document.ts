/** The documents of the simulated Photoshop, and what commands do to them. */
import type { Pixels } from '../../support/located-pictures.js';
import type { File } from './entries.js';
import type { Bounds } from './photoshop-picture.js';
import { cropPixels, encodePicture, resizePixels, toEightBits } from './photoshop-picture.js';

export const saveFormats = ['psd', 'psb', 'jpg', 'png', 'gif', 'bmp'] as const;
export type SaveFormat = (typeof saveFormats)[number];
/** `tif` is written by a command of batchPlay. */
export type FileFormat = SaveFormat | 'tif';

/** A document as the test opens it. */
export interface SimulatedDocument {
  readonly name: string;
  readonly width?: number;
  readonly height?: number;
  readonly saved?: boolean;
  /** DocumentID in its XMP; null (default) in a document that has none, as before its first save. */
  readonly documentId?: string | null;
  /** The bytes that a save writes, by format; a format without bytes fails, unless there is a picture. */
  readonly bytes?: Partial<Record<FileFormat, Uint8Array>>;
  /** A picture that is really saved, instead of `bytes`. Its size and bits are the document's. */
  readonly picture?: Pixels;
  /** Default RGB. */
  readonly mode?: string;
  /** Default 8, or those of the picture. */
  readonly bits?: 1 | 8 | 16 | 32;
  /** Default 'Display P3'. */
  readonly profile?: string;
  readonly artboards?: readonly { readonly name: string; readonly bounds: Bounds }[];
  /** Its layers in no group, the top one first. Default: none that is looked at. */
  readonly layers?: readonly SimulatedPhotoshopLayer[];
  /** A PSD of it would be longer than 2 GB. */
  readonly isTooLongForPsd?: boolean;
}

export interface PhotoshopDocument {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly saved: boolean;
  readonly cloudDocument: boolean;
  readonly width: number;
  readonly height: number;
  readonly resolution: number;
  readonly mode: never;
  get bitsPerChannel(): never;
  set bitsPerChannel(bits: string);
  readonly colorProfileName: string;
  readonly artboards: readonly {
    readonly id: number;
    readonly name: string;
    readonly bounds: Bounds;
  }[];
  readonly activeHistoryState: { readonly id: number };
  readonly layers: readonly LayerObject[];
  readonly activeLayers: readonly LayerObject[];
  readonly countItems: {
    getAll(): readonly {
      readonly groupIndex: number;
      readonly position: { readonly x: number; readonly y: number };
    }[];
    add(position: { readonly x: number; readonly y: number }): Promise<unknown>;
    createGroup(name: string): Promise<void>;
    removeGroupByIndex(index: number): Promise<void>;
  };
  duplicate(name?: string, mergeLayersOnly?: boolean): Promise<PhotoshopDocument>;
  flatten(): Promise<void>;
  crop(bounds: Bounds): Promise<void>;
  changeMode(mode: string): Promise<void>;
  convertProfile(
    profile: string,
    intent: string,
    blackPointCompensation?: boolean,
    dither?: boolean,
  ): Promise<void>;
  resizeImage(width?: number, height?: number, resolution?: number, method?: string): Promise<void>;
  closeWithoutSaving(): Promise<void>;
  readonly saveAs: Readonly<
    Record<SaveFormat, (entry: File, options?: unknown, asCopy?: boolean) => Promise<void>>
  >;
}

/** A group of counts (classes/countitems). */
export interface CountGroup {
  readonly name: string;
  readonly counts: readonly { readonly x: number; readonly y: number }[];
}

/** A smart object: its file, and what that was when it was placed. */
export interface SimulatedSmartObject {
  readonly path: string;
  readonly stamp: string;
  readonly isLinked: boolean;
  /** Width and height of its content, in pixels. Default: 10 by 10. */
  readonly size?: readonly [number, number];
}

/** A layer; a group has `layers`. */
export interface SimulatedPhotoshopLayer {
  readonly id: number;
  readonly bounds: Bounds;
  readonly smartObject?: SimulatedSmartObject;
  /** Its mask, and whether that moves with it. */
  readonly mask?: { readonly bounds: Bounds; readonly isLinked: boolean };
  readonly layers?: readonly SimulatedPhotoshopLayer[];
}

/** Layer page. */
export interface LayerObject {
  readonly id: number;
  readonly kind: string;
  readonly boundsNoEffects: Bounds;
  readonly layers: readonly LayerObject[] | null;
  scale(width: number, height: number): Promise<void>;
  translate(horizontal: number, vertical: number): Promise<void>;
}

/** What the user and commands do to a document. */
export class Work {
  readonly id: number;
  name: string;
  saved: boolean;
  documentId: string | null;
  /** Counts the saves: each gives the XMP another InstanceID. */
  saves = 0;
  /** The ids of its history states; the last one is active. */
  readonly history: number[];
  /** The ids of the selected layers. */
  selectedLayers: readonly number[] = [];
  /** What the user has selected. */
  selection = 'a part of the sky';
  width: number;
  height: number;
  mode: string;
  bits: number;
  profile: string;
  hasLayers = true;
  groups: readonly CountGroup[] = [];
  /** The index of the active group. */
  activeGroup = 0;
  layers: readonly SimulatedPhotoshopLayer[];
  /** What plugins have written into the XMP: descriptions of further namespaces. */
  descriptions = '';
  readonly artboards: readonly { id: number; name: string; bounds: Bounds }[];
  private picture: Pixels | undefined;
  private readonly bytes: Partial<Record<FileFormat, Uint8Array>>;
  private readonly isTooLongForPsd: boolean;

  constructor(
    readonly source: SimulatedDocument,
    /** Gives ids of documents and layers, and of history states. */
    private readonly next: { readonly id: () => number; readonly state: () => number },
  ) {
    const { picture, artboards = [] } = source;
    this.id = next.id();
    this.name = source.name;
    this.saved = source.saved ?? true;
    this.documentId = source.documentId ?? null;
    this.history = [next.state()];
    this.width = picture?.width ?? source.width ?? 3000;
    this.height = picture?.height ?? source.height ?? 2000;
    this.mode = source.mode ?? 'RGBColorMode';
    this.bits = picture?.bits ?? source.bits ?? 8;
    this.profile = source.profile ?? 'Display P3';
    this.artboards = artboards.map((artboard) => ({ id: next.id(), ...artboard }));
    this.layers = source.layers ?? [];
    this.picture = picture;
    this.bytes = source.bytes ?? {};
    this.isTooLongForPsd = source.isTooLongForPsd ?? false;
  }

  state(): { name: string; saved: boolean; history: readonly number[]; selection: string } {
    const { name, saved, history, selection } = this;
    return { name, saved, history: [...history], selection };
  }

  /** XMP as Photoshop writes it. */
  xmp(): string {
    const { documentId, saves } = this;
    const ids =
      documentId === null
        ? ''
        : ` xmpMM:InstanceID="xmp.iid:${documentId}-${saves}" xmpMM:DocumentID="${documentId}"`;
    return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description rdf:about=""${ids}/>${this.descriptions}</rdf:RDF></x:xmpmeta>`;
  }

  /** Its own properties stay as they are. */
  setXmp(packet: string): void {
    if (!packet.includes('<x:xmpmeta') || !packet.includes('</x:xmpmeta>'))
      throw new Error('not an XMP packet');
    const found = packet.match(/<rdf:Description rdf:about="" xmlns:[^]*?<\/rdf:Description>/g);
    this.descriptions = (found ?? []).join('');
  }

  /** A merged or full duplicate, which was never saved. */
  duplicate(name: string, isMerged: boolean): Work {
    const copy = new Work({ ...this.source, name, saved: false, documentId: null }, this.next);
    copy.width = this.width;
    copy.height = this.height;
    copy.mode = this.mode;
    copy.bits = this.bits;
    copy.profile = this.profile;
    copy.hasLayers = this.hasLayers && !isMerged;
    copy.picture = this.picture;
    return copy;
  }

  /** Any change: another state of the history. */
  change(): void {
    this.history.push(this.next.state());
    this.saved = false;
  }

  crop(bounds: Bounds): void {
    this.width = bounds.right - bounds.left;
    this.height = bounds.bottom - bounds.top;
    this.picture = this.picture && cropPixels(this.picture, bounds);
  }

  setBits(bits: number): void {
    if (this.mode === 'bitmapMode') throw new Error('a bitmap has one bit');
    this.bits = bits;
    if (bits === 8) this.picture = this.picture && toEightBits(this.picture);
  }

  changeMode(mode: string): void {
    if (this.mode === 'bitmapMode' && mode !== 'grayscaleMode')
      throw new Error('a bitmap becomes grayscale first');
    if (this.mode === 'bitmapMode') this.bits = 8;
    this.mode = mode;
    this.profile = 'Display P3';
  }

  async resize(width: number, height: number): Promise<void> {
    this.width = width;
    this.height = height;
    this.picture = this.picture && (await resizePixels(this.picture, width, height));
  }

  /** The file that a save writes. */
  async file(format: FileFormat, options: unknown): Promise<Uint8Array> {
    if (format === 'psd' && (Math.max(this.width, this.height) > 30_000 || this.isTooLongForPsd))
      throw new Error('the document is too large for this format');
    const { quality = 8 } = (options ?? {}) as { quality?: number };
    const bytes = this.picture
      ? await encodePicture(format, this.picture, this.profile, quality)
      : this.bytes[format];
    if (bytes === undefined) throw new Error(`the document cannot be saved as ${format}`);
    return bytes;
  }
}
