import type { Clock } from '../../util/clock.js';
import { identityIn, XMP_MEDIA_MANAGEMENT } from '../../util/xmp.js';
import { DocumentWatch } from '../document-watch.js';
import type { OpenDocument, OpenDocumentPort } from '../open-document.js';
import type { InDesignDocument, InDesignModule } from './indesign-module.js';

/**
 * Watches InDesign's document in front. There is no thumbnail, since only an export makes a picture of a page. Every
 * call is guarded: members may be missing, documents may be closing.
 * @param run  identifies this run in the identities of documents without an XMP identity
 */
export function createInDesignDocuments(
  indesign: InDesignModule,
  clock: Clock,
  run: string,
): OpenDocumentPort {
  const watch = new DocumentWatch(clock, () => {
    const document = activeDocument(indesign);
    return document ? [document.name, stateOf(document)].join('\n') : '';
  });
  const read = (document: InDesignDocument): OpenDocument => {
    const { id, name, modified } = document;
    const instanceId = propertyOf(document, 'InstanceID');
    const saved = typeof instanceId === 'string' ? instanceId : '';
    return {
      key: String(id),
      name,
      documentId: inDesignDocumentId(document, run),
      // Each save renews the InstanceID. Names of the app's own are not unique in another run.
      stateId: modified || saved === '' ? [run, saved, stateOf(document)].join(':') : saved,
      thumbnail: () => Promise.resolve(null),
    };
  };
  const readOrNull = (
    find: () => InDesignDocument | null,
  ): ReturnType<OpenDocumentPort['current']> =>
    Promise.resolve()
      .then(() => {
        const document = find();
        return document && read(document);
      })
      .catch(() => null);
  return {
    current: () => readOrNull(() => activeDocument(indesign)),
    find: (key) => readOrNull(() => openInDesignDocument(indesign, key)),
    onChange: (callback) => watch.onChange(callback),
  };
}

/** All open documents, in the app's order. @throws {unknown} while one is closing */
export function openInDesignDocuments({ app }: InDesignModule): readonly InDesignDocument[] {
  const { documents } = app;
  return Array.from({ length: documents.length }, (_, index) => documents.item(index));
}

/** An open document by its key; null when it is closed. @throws {unknown} while one is closing */
export function openInDesignDocument(
  indesign: InDesignModule,
  key: string,
): InDesignDocument | null {
  return openInDesignDocuments(indesign).find(({ id }) => String(id) === key) ?? null;
}

/** The identity of an open document, see `OpenDocument.documentId`. @param run  identifies this run */
export function inDesignDocumentId(document: InDesignDocument, run: string): string {
  return identityIn((name) => propertyOf(document, name)) ?? `${run}:${document.id}`;
}

function propertyOf(document: InDesignDocument, name: string): unknown {
  try {
    return document.metadataPreferences.getProperty(XMP_MEDIA_MANAGEMENT, name);
  } catch {
    return null;
  }
}

/** Null without a document. @throws {unknown} when all documents are without a window */
function activeDocument({ app }: InDesignModule): InDesignDocument | null {
  return app.documents.length === 0 ? null : app.activeDocument;
}

/** The document with what can be seen of its state: typed text may go into the action that was there before. */
function stateOf(document: InDesignDocument): string {
  const { id, modified } = document;
  let undo: readonly string[] = [];
  try {
    undo = document.undoHistory;
  } catch {
    // Without it, only the first change after a save is noticed.
  }
  return [id, modified, undo.length, undo[undo.length - 1] ?? ''].join(':');
}
