import { CancelledError, throwIfCancelled, type CancelSignal } from '../../util/cancel.js';
import type { ExportSettings } from '../document-export.js';
import { isDiskFull } from './data-folder.js';
import { writtenFile } from './export-file.js';
import type {
  PhotoshopBounds,
  PhotoshopDocument,
  PhotoshopModule,
  PhotoshopScope,
} from './photoshop-module.js';
import type { FileEntry, FileSystem, FolderEntry } from './files.js';

const SRGB = 'sRGB IEC61966-2.1';
const RGB = 'RGBColorMode';

/** The longest side of a PSD in pixels, and the most bytes. A PSB holds more. */
const MAX_PSD_SIDE = 30_000;
const MAX_PSD_BYTES = 2 ** 31 - 1;

/** `result` of a command that the user has cancelled (media/batchplay). */
const USER_CANCELLED = -128;

/** Colour modes that a format can keep. The service shows pictures in these. */
const MODES: Readonly<Record<'jpg' | 'png' | 'tif', readonly string[]>> = {
  jpg: [RGB, 'CMYKColorMode', 'grayscaleMode'],
  png: [RGB, 'grayscaleMode'],
  tif: [RGB, 'CMYKColorMode', 'grayscaleMode'],
};

const BITS: Readonly<Record<PhotoshopDocument['bitsPerChannel'], number>> = {
  bitDepth1: 1,
  bitDepth8: 8,
  bitDepth16: 16,
  bitDepth32: 32,
};

export type PhotoshopFormat = 'jpg' | 'png' | 'tif' | 'psd';
type Artboard = PhotoshopDocument['artboards'][number];
type Command = Parameters<PhotoshopModule['action']['batchPlay']>[0][number];

/** What is exported. */
export interface PhotoshopTarget {
  readonly document: PhotoshopDocument;
  /** Null for the whole document. */
  readonly artboard: Artboard | null;
  /** The document in front, which is brought back. */
  readonly front: PhotoshopDocument;
}

/** Duplicates carry a name by which a later run recognizes them. It is visible while an export lasts. */
export function duplicateName(run: string, count: number): string {
  return `Creative Workspace export ${run}-${count}`;
}

export function isDuplicate({ name }: PhotoshopDocument): boolean {
  return /^Creative Workspace export run:[0-9a-z]+-\d+$/.test(name);
}

/**
 * One export inside a modal scope. What needs a change of the document is done on a duplicate of its merged layers, which
 * is closed in any case (docs/decisions/0016-export-copies.md).
 */
export class PhotoshopExport {
  constructor(
    private readonly photoshop: PhotoshopModule,
    private readonly files: Pick<FileSystem, 'createSessionToken'>,
    private readonly target: PhotoshopTarget,
    private readonly format: PhotoshopFormat,
    private readonly settings: ExportSettings,
    private readonly name: string,
  ) {}

  /**
   * Writes the file into `folder`. Nothing is changed any more after `signal` has fired.
   * @throws {CancelledError}
   * @throws {unknown} what Photoshop throws
   */
  async run(scope: PhotoshopScope, signal: CancelSignal, folder: FolderEntry): Promise<FileEntry> {
    const { document, artboard, front } = this.target;
    const { app } = this.photoshop;
    const isInFront = document.id === front.id;
    try {
      throwIfCancelled(signal);
      if (!isInFront) {
        // Commands follow the active document.
        app.activeDocument = document;
      }
      if (!artboard && this.isSavedAsIs(document)) {
        return await this.save(document, folder, signal);
      }
      const bounds = artboard && (await this.boundsOf(artboard, document));
      throwIfCancelled(signal);
      const duplicate = await document.duplicate(this.name, true);
      await scope.hostControl.registerAutoCloseDocument(duplicate.id);
      try {
        throwIfCancelled(signal);
        if (!isInFront) {
          // If Photoshop closes the duplicate, the document behind it comes to the front.
          app.activeDocument = front;
          app.activeDocument = duplicate;
        }
        await this.prepare(duplicate, bounds, signal);
        return await this.save(duplicate, folder, signal);
      } finally {
        await close(duplicate, signal);
      }
    } finally {
      if (!signal.cancelled && app.activeDocument?.id !== front.id) {
        app.activeDocument = front;
      }
    }
  }

  /** Whether a copy can be saved without a change of the document. */
  private isSavedAsIs(document: PhotoshopDocument): boolean {
    const { format } = this;
    if (this.isTooLarge(document) || this.needsSrgb(document)) {
      return false;
    }
    switch (format) {
      case 'psd':
        return true;
      case 'tif':
        // Its layers would be in the file.
        return false;
      case 'jpg':
      case 'png':
        return (
          BITS[document.bitsPerChannel] <= this.mostBits() && MODES[format].includes(document.mode)
        );
    }
  }

  private isTooLarge({ width, height }: PhotoshopDocument): boolean {
    const { longEdge } = this.settings;
    return longEdge !== null && Math.max(width, height) > longEdge;
  }

  private needsSrgb({ mode, colorProfileName }: PhotoshopDocument): boolean {
    return this.settings.profile === 'srgb' && (mode !== RGB || colorProfileName !== SRGB);
  }

  private mostBits(): number {
    return this.format === 'jpg' ? 8 : this.settings.bitDepth;
  }

  /** Merged, 8 bit, RGB, profile, size: in this order. Pictures are never enlarged. */
  private async prepare(
    document: PhotoshopDocument,
    bounds: PhotoshopBounds | null,
    signal: CancelSignal,
  ): Promise<void> {
    const { format, settings } = this;
    const step = async (work: () => Promise<void> | void): Promise<void> => {
      throwIfCancelled(signal);
      await work();
    };
    if (format !== 'png') {
      // PNG keeps transparency. In the others it becomes white, and nothing is left beside an artboard.
      await step(() => document.flatten());
    }
    if (bounds) {
      await step(() => document.crop(bounds));
    }
    if (format !== 'psd' && BITS[document.bitsPerChannel] > this.mostBits()) {
      await step(() => {
        document.bitsPerChannel = this.mostBits() === 8 ? 'bitDepth8' : 'bitDepth16';
      });
    }
    const keepsMode = format === 'psd' || MODES[format].includes(document.mode);
    if (document.mode !== RGB && (settings.profile === 'srgb' || !keepsMode)) {
      if (document.mode === 'bitmapMode') {
        await step(() => document.changeMode('grayscaleMode'));
      }
      await step(() => document.changeMode(RGB));
    }
    if (this.needsSrgb(document)) {
      await step(() => document.convertProfile(SRGB, 'colorimetric', true, true));
    }
    if (this.isTooLarge(document)) {
      const [width, height] = fitted(document, settings.longEdge ?? 0);
      await step(() => document.resizeImage(width, height, undefined, 'bicubicAutomatic'));
    }
  }

  private async save(
    document: PhotoshopDocument,
    folder: FolderEntry,
    signal: CancelSignal,
  ): Promise<FileEntry> {
    const { format } = this;
    throwIfCancelled(signal);
    if (format === 'psd') {
      return this.savePhotoshop(document, folder, signal);
    }
    // A generated file name: the document's name may be no valid file name.
    const file = await folder.createFile(`document.${format}`, { overwrite: true });
    throwIfCancelled(signal);
    switch (format) {
      case 'jpg':
        await document.saveAs.jpg(
          file.entry,
          { quality: this.settings.quality, embedColorProfile: true },
          true,
        );
        return file;
      case 'png':
        await document.saveAs.png(file.entry, {}, true);
        return file;
      case 'tif':
        await this.saveTiff(document, file);
        // The command may do nothing.
        if (!(await writtenFile(folder))) {
          throw new Error('Photoshop wrote nothing');
        }
        return file;
    }
  }

  /**
   * Saves a PSD, or a PSB where a PSD cannot hold the document. How long a PSD would be is known only when it is
   * written, so a PSD that fails is followed by a PSB.
   */
  private async savePhotoshop(
    document: PhotoshopDocument,
    folder: FolderEntry,
    signal: CancelSignal,
  ): Promise<FileEntry> {
    const options = { embedColorProfile: true };
    if (fitsPsd(document)) {
      const psd = await folder.createFile('document.psd', { overwrite: true });
      try {
        throwIfCancelled(signal);
        await document.saveAs.psd(psd.entry, options, true);
        return psd;
      } catch (error) {
        throwIfCancelled(signal);
        if (isDiskFull(error)) {
          throw error;
        }
        // There may be nothing yet.
        await psd.delete().catch(() => undefined);
      }
    }
    const psb = await folder.createFile('document.psb', { overwrite: true });
    throwIfCancelled(signal);
    await document.saveAs.psb(psb.entry, options, true);
    return psb;
  }

  /** `saveAs` has no TIFF. Pages do not describe this command, but many plugins use it. */
  private async saveTiff({ id }: PhotoshopDocument, file: FileEntry): Promise<void> {
    const token = this.files.createSessionToken(file);
    await this.play({
      _obj: 'save',
      as: {
        _obj: 'TIFF',
        byteOrder: { _enum: 'platform', _value: 'IBMPC' },
        // LZW makes pictures of 16 bits longer.
        LZWCompression: this.settings.bitDepth === 8,
      },
      in: { _path: token, _kind: 'local' },
      documentID: id,
      embedProfiles: true,
      copy: true,
      lowerCase: true,
      _options: { dialogOptions: 'dontDisplay' },
    });
  }

  /** The place of an artboard. Its layers may reach beyond it, so their bounds are the second choice. */
  private async boundsOf(
    { id, bounds }: Artboard,
    document: PhotoshopDocument,
  ): Promise<PhotoshopBounds> {
    const { left, top, right, bottom } =
      (await this.play({
        _obj: 'get',
        _target: [
          { _property: 'artboard' },
          { _ref: 'layer', _id: id },
          { _ref: 'document', _id: document.id },
        ],
        _options: { dialogOptions: 'dontDisplay' },
      }).then(readBounds, () => null)) ?? bounds;
    return { left, top, right, bottom };
  }

  /** Runs one command. A command that failed also resolves. @throws {CancelledError} */
  private async play(command: Command): Promise<Readonly<Record<string, unknown>>> {
    const [result] = await this.photoshop.action.batchPlay([command], {});
    if (result?.['_obj'] === 'error') {
      if (result['result'] === USER_CANCELLED) {
        throw new CancelledError();
      }
      throw new Error(`the command failed: ${String(result['message'])}`);
    }
    return result ?? {};
  }
}

/** Closes a duplicate. Photoshop does it at the end of the scope where this is no longer possible. */
async function close(duplicate: PhotoshopDocument, signal: CancelSignal): Promise<void> {
  try {
    throwIfCancelled(signal);
    await duplicate.closeWithoutSaving();
  } catch {
    return;
  }
}

function readBounds(result: Readonly<Record<string, unknown>>): PhotoshopBounds | null {
  const artboard = result['artboard'] as { readonly artboardRect?: unknown } | null | undefined;
  const rect = artboard?.artboardRect as Readonly<Record<string, unknown>> | null | undefined;
  const [left, top, right, bottom] = ['left', 'top', 'right', 'bottom'].map((side) => {
    const value = rect?.[side];
    return typeof value === 'number' ? Math.round(value) : Number.NaN;
  });
  return left !== undefined &&
    top !== undefined &&
    right !== undefined &&
    bottom !== undefined &&
    right > left &&
    bottom > top
    ? { left, top, right, bottom }
    : null;
}

/** A document's size when its longer side has so many pixels. */
function fitted(
  { width, height }: PhotoshopDocument,
  longEdge: number,
): readonly [width: number, height: number] {
  const scale = longEdge / Math.max(width, height);
  const side = (length: number): number => Math.max(1, Math.round(length * scale));
  return [side(width), side(height)];
}

/** Whether a PSD may hold a document: its sides are short enough, and its merged pixels, which it also has, few enough. */
function fitsPsd({ width, height, mode, bitsPerChannel }: PhotoshopDocument): boolean {
  const channels = mode === 'CMYKColorMode' ? 4 : 3;
  const bytes = width * height * channels * (BITS[bitsPerChannel] / 8);
  return Math.max(width, height) <= MAX_PSD_SIDE && bytes <= MAX_PSD_BYTES;
}
