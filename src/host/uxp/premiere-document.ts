import type { Clock } from '../../util/clock.js';
import { DocumentWatch, findInFront } from '../document-watch.js';
import type { OpenDocument, OpenDocumentPort } from '../open-document.js';
import type { PremiereModule, PremiereSequence } from './premiere-module.js';
import { sequenceLength } from './premiere-sequence.js';

/**
 * Watches Premiere's active sequence. Its GUID is the identity, which stays after a restart. Premiere reports neither
 * changes of a sequence, except for its length and its points, nor a picture of it.
 */
export function createPremiereDocuments(premiere: PremiereModule, clock: Clock): OpenDocumentPort {
  const inFront = async (): Promise<PremiereSequence | null> => {
    const project = await premiere.Project.getActiveProject();
    return (await project?.getActiveSequence()) ?? null;
  };
  const current = async (): Promise<OpenDocument | null> => {
    try {
      const sequence = await inFront();
      const documentId = sequence ? premiereDocumentId(sequence) : null;
      return sequence
        ? {
            key: documentId ?? sequence.name,
            name: sequence.name,
            documentId,
            stateId: documentId ?? '',
            thumbnail: () => Promise.resolve(null),
          }
        : null;
    } catch {
      return null;
    }
  };
  const watch = new DocumentWatch(clock, async () => {
    const document = await current();
    const sequence = document && (await inFront().catch(() => null));
    const lengths = sequence
      ? [await sequenceLength(sequence, false, clock), await sequenceLength(sequence, true, clock)]
      : [];
    return document ? [document.key, document.name, JSON.stringify(lengths)].join('\n') : '';
  });
  return {
    current,
    find: (key) => findInFront(current, key),
    onChange: (callback) => watch.onChange(callback),
  };
}

/** The identity of a sequence; null when Premiere does not give it. */
export function premiereDocumentId(sequence: PremiereSequence): string | null {
  try {
    const [text] = /[\w-]{8,64}/.exec(sequence.guid.toString()) ?? [];
    return text === undefined ? null : `premiere:${text.toLowerCase()}`;
  } catch {
    return null;
  }
}
