/**
 * What upload on save stores: the user's choices, and a mark for each saved document that has no copy in the queue yet.
 * @packageDocumentation
 */
import { isJsonObject, numberField, parseJsonObject, textField } from '../../util/json.js';
import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';
import { readDocumentId } from '../queue/index.js';

/** For which documents it is on, and how they are exported. */
export interface OnSaveChoices {
  /** Digest of the account or session that has chosen (`owner.ts`); null for nobody. */
  readonly owner: string | null;
  readonly all: boolean;
  /** Identities of documents, if it is not on for all. The newest is last. */
  readonly documents: readonly string[];
  /** Id of the preset; null for the chosen one of the panel. */
  readonly preset: string | null;
}

/** A saved document that has no copy in the queue yet. */
export interface SaveMark {
  readonly documentId: string;
  /** For users. */
  readonly name: string;
  /** Wall-clock time of the save, in milliseconds. */
  readonly since: number;
  /** The state that is exported and its recipe: a copy in the queue that has both settles the mark. */
  readonly stateId: string;
  readonly recipe: string;
}

export const NO_CHOICES: OnSaveChoices = { owner: null, all: false, documents: [], preset: null };

/** The keys of the records; photos' keys are hexadecimal. */
export const CHOICES_KEY = 'upload-on-save';
export const MARKS_KEY = 'saved-documents';
/** Older documents are forgotten. */
const MAX_DOCUMENTS = 200;
const MAX_MARKS = 1000;
const MAX_NAME_LENGTH = 200;

export function writeChoices(choices: OnSaveChoices): string {
  return JSON.stringify({ version: 1, ...choices });
}

/** Reads stored choices. What cannot be read is off. */
export function readChoices(text: string): OnSaveChoices {
  const body = parseJsonObject(text);
  if (body?.['version'] !== 1) {
    return NO_CHOICES;
  }
  const documents = listOf(body['documents']).flatMap((id) => {
    const read = typeof id === 'string' ? readDocumentId(id) : null;
    return read === null ? [] : [read];
  });
  return {
    owner: textField(body, 'owner'),
    all: body['all'] === true,
    documents: documents.slice(-MAX_DOCUMENTS),
    preset: textField(body, 'preset'),
  };
}

/** The choices with one more document. */
export function withDocument(choices: OnSaveChoices, documentId: string): OnSaveChoices {
  const others = choices.documents.filter((id) => id !== documentId);
  return { ...choices, documents: [...others, documentId].slice(-MAX_DOCUMENTS) };
}

export function writeMarks(marks: readonly SaveMark[]): string {
  const stored = marks.map(({ documentId, name, since, stateId, recipe }) => ({
    documentId,
    name,
    since,
    stateId,
    recipe,
  }));
  return JSON.stringify({ version: 1, marks: stored.slice(-MAX_MARKS) });
}

/** Reads stored marks. What cannot be read is left out. */
export function readMarks(text: string): readonly SaveMark[] {
  const body = parseJsonObject(text);
  return body?.['version'] === 1 ? listOf(body['marks']).flatMap((mark) => readMark(mark)) : [];
}

function readMark(mark: unknown): readonly SaveMark[] {
  if (!isJsonObject(mark)) {
    return [];
  }
  const documentId = readDocumentId(textField(mark, 'documentId'));
  const name = sanitizeDisplayName(textField(mark, 'name') ?? '', MAX_NAME_LENGTH);
  const since = numberField(mark, 'since');
  return documentId === null || name === null || since === null
    ? []
    : [
        {
          documentId,
          name,
          since,
          stateId: textField(mark, 'stateId') ?? '',
          recipe: textField(mark, 'recipe') ?? '',
        },
      ];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
