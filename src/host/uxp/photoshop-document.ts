import { sleep, type Clock } from '../../util/clock.js';
import { randomId, type RandomBytes } from '../../util/random-id.js';
import { documentIdOf, instanceIdOf } from '../../util/xmp.js';
import { DocumentWatch } from '../document-watch.js';
import type { OpenDocument, OpenDocumentPort } from '../open-document.js';
import type { PhotoshopDocument, PhotoshopModule } from './photoshop-module.js';
import { PhotoshopFront } from './photoshop-front.js';

/**
 * How long a request for a thumbnail waits while something else is modal: seconds or milliseconds, see
 * `executeAsModal`. A thumbnail is not worth waiting.
 */
const TIME_OUT = 1;

/** Milliseconds for which a document has to be unchanged before its thumbnail is drawn again. */
const REST_MS = 2_000;

/**
 * Watches Photoshop's document in front. Every call is guarded: members may be missing, documents may be closing.
 * @param run  identifies this run in the identities of documents without an XMP identity
 * @param front  shared with the exporter, which changes the document in front
 */
export function createPhotoshopDocuments(
  photoshop: PhotoshopModule,
  randomBytes: RandomBytes,
  clock: Clock,
  run: string,
  front = new PhotoshopFront(photoshop),
): OpenDocumentPort {
  const states = new DocumentStates(randomBytes);
  const identities = new Identities(photoshop);
  const thumbnails = new Thumbnails(photoshop, clock);
  const watch = new DocumentWatch(clock, () => {
    const document = activeDocument(front);
    return document ? [document.name, document.saved, stateOf(document)].join('\n') : '';
  });
  const read = async (
    document: PhotoshopDocument,
    identity: Promise<Identity>,
  ): Promise<OpenDocument> => {
    const { id, name, saved } = document;
    const state = stateOf(document);
    const { documentId, instanceId } = await identity;
    return {
      key: String(id),
      name,
      documentId: documentId ?? identityInRun(run, document),
      stateId: states.nameOf(state, saved ? instanceId : null),
      thumbnail: (px) => thumbnails.of(document, state, px).catch(() => null),
    };
  };
  return {
    async current() {
      try {
        const document = activeDocument(front);
        return document && (await read(document, identities.of(document)));
      } catch {
        return null;
      }
    },
    async find(key) {
      try {
        const document = Array.from(photoshop.app.documents).find(({ id }) => String(id) === key);
        return document ? await read(document, readIdentity(photoshop, document)) : null;
      } catch {
        return null;
      }
    },
    onChange: (callback) => watch.onChange(callback),
  };
}

/** The identity of an open document, see `OpenDocument.documentId`. @param run  identifies this run */
export async function photoshopDocumentId(
  photoshop: PhotoshopModule,
  document: PhotoshopDocument,
  run: string,
): Promise<string> {
  return documentIdOf(await readXmp(photoshop, document)) ?? identityInRun(run, document);
}

/** Photoshop uses an id once in a run. */
function identityInRun(run: string, { id }: PhotoshopDocument): string {
  return `${run}:${id}`;
}

/** Null without a document. @throws never */
function activeDocument(front: PhotoshopFront): PhotoshopDocument | null {
  try {
    return front.document;
  } catch {
    return null;
  }
}

/** The document and its state in the history, which an undo brings back. */
function stateOf({ id, activeHistoryState }: PhotoshopDocument): string {
  return `${id}:${activeHistoryState?.id ?? ''}`;
}

/** The document's XMP packet, empty when Photoshop does not give it. Needs no modal scope. */
async function readXmp(photoshop: PhotoshopModule, document: PhotoshopDocument): Promise<string> {
  try {
    const command = {
      _obj: 'get',
      _target: [{ _property: 'XMPMetadataAsUTF8' }, { _ref: 'document', _id: document.id }],
      _options: { dialogOptions: 'dontDisplay' },
    };
    const [result] = await photoshop.action.batchPlay([command], {});
    const xmp = result?.['XMPMetadataAsUTF8'];
    return typeof xmp === 'string' ? xmp : '';
  } catch {
    return '';
  }
}

/** @throws {unknown} what Photoshop throws, such as while something else is modal */
async function draw(
  { core, imaging }: PhotoshopModule,
  { id, name, width, height }: PhotoshopDocument,
  px: number,
): Promise<string | null> {
  let thumbnail: string | null = null;
  const inScope = async (): Promise<void> => {
    const { imageData } = await imaging.getPixels({
      documentID: id,
      targetSize:
        width >= height ? { width: Math.min(px, width) } : { height: Math.min(px, height) },
      colorSpace: 'RGB',
      colorProfile: 'sRGB IEC61966-2.1',
      componentSize: 8,
      applyAlpha: true,
    });
    try {
      const jpeg = await imaging.encodeImageData({ imageData, base64: true });
      thumbnail = typeof jpeg === 'string' ? `data:image/jpeg;base64,${jpeg}` : null;
    } finally {
      await imageData.dispose();
    }
  };
  await core.executeAsModal(inScope, { commandName: name || 'Thumbnail', timeOut: TIME_OUT });
  return thumbnail;
}

/**
 * The thumbnail of the document in front. Each drawing needs a modal scope, which the user may notice: none comes between
 * two strokes of a brush.
 */
class Thumbnails {
  private last: { readonly id: number; readonly key: string; readonly url: string } | null = null;

  constructor(
    private readonly photoshop: PhotoshopModule,
    private readonly clock: Clock,
  ) {}

  /** @throws {unknown} what Photoshop throws, such as while something else is modal */
  async of(document: PhotoshopDocument, state: string, px: number): Promise<string | null> {
    const { id } = document;
    const key = `${state} ${px}`;
    if (this.last?.id === id && this.last.key !== key) {
      await sleep(this.clock, REST_MS);
      if (stateOf(document) !== state) {
        return null;
      }
    }
    if (this.last?.key !== key) {
      const url = await draw(this.photoshop, document, px);
      this.last = url === null ? null : { id, key, url };
    }
    return this.last?.url ?? null;
  }
}

interface Identity {
  readonly documentId: string | null;
  readonly instanceId: string | null;
}

async function readIdentity(
  photoshop: PhotoshopModule,
  document: PhotoshopDocument,
): Promise<Identity> {
  const xmp = await readXmp(photoshop, document);
  return { documentId: documentIdOf(xmp), instanceId: instanceIdOf(xmp) };
}

/**
 * The identities in the XMP of the document in front. A packet may be long, so it is read only for another document, and
 * where a save may have changed it.
 */
class Identities {
  private last: (Identity & { readonly key: string }) | null = null;

  constructor(private readonly photoshop: PhotoshopModule) {}

  async of(document: PhotoshopDocument): Promise<Identity> {
    const { id, name, saved } = document;
    const key = [id, saved ? stateOf(document) : 'changed', name].join(':');
    if (this.last?.key === key) {
      return this.last;
    }
    const xmp = await readXmp(this.photoshop, document);
    const identity = { key, documentId: documentIdOf(xmp), instanceId: instanceIdOf(xmp) };
    this.last = xmp === '' ? null : identity;
    return identity;
  }
}

/** States that are remembered. */
const MAX_STATES = 5_000;

/**
 * Names the states of open documents. Photoshop numbers them from the start in each run, so names contain a random part.
 * A saved document's state is named by its XMP InstanceID, which each save renews: that name outlasts the run.
 */
class DocumentStates {
  private readonly run: string;
  private readonly names = new Map<string, string>();

  constructor(randomBytes: RandomBytes) {
    this.run = randomId(randomBytes);
  }

  /**
   * @param state  the document and its history state, unique in this run
   * @param instanceId  of a document without unsaved changes, else null
   */
  nameOf(state: string, instanceId: string | null): string {
    const known = this.names.get(state);
    if (known !== undefined) {
      // Saving changes the InstanceID, not the content.
      return known;
    }
    const name = instanceId ?? `${this.run}:${state}`;
    this.names.set(state, name);
    for (const oldest of this.names.keys()) {
      if (this.names.size <= MAX_STATES) {
        break;
      }
      this.names.delete(oldest);
    }
    return name;
  }
}
