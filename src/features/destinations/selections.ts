import { parseJsonObject, textField } from '../../util/json.js';
import { readDocumentId } from '../queue/index.js';
import { readProjectRef, type ProjectRef } from '../../api/project.js';

/** The projects that one account has chosen. */
export interface Selections {
  /** Digest of the account or session that has chosen (`owner.ts`); null for nobody. */
  readonly owner: string | null;
  /** The last choice. */
  readonly last: ProjectRef | null;
  /** The choices for documents, by their identities. The newest is last. */
  readonly documents: readonly (readonly [string, ProjectRef | null])[];
}

export const NO_SELECTIONS: Selections = { owner: null, last: null, documents: [] };

/** The key of the record; photos' keys are hexadecimal. */
export const SELECTIONS_KEY = 'destinations';
/** The choices of older documents are forgotten. */
const MAX_DOCUMENTS = 200;

/** The choices with one more. @param document  the open document; null when there is none */
export function withSelection(
  { owner, documents }: Selections,
  document: string | null,
  project: ProjectRef | null,
): Selections {
  const ref = project && { id: project.id, name: project.name };
  const others = documents.filter(([id]) => id !== document);
  return {
    owner,
    last: ref,
    documents:
      document === null ? documents : [...others, [document, ref] as const].slice(-MAX_DOCUMENTS),
  };
}

/** Gives the JSON text that stores the choices. */
export function writeSelections(selections: Selections): string {
  return JSON.stringify({ version: 1, ...selections });
}

/** Reads stored choices. What cannot be read is left out. */
export function readSelections(text: string): Selections {
  const body = parseJsonObject(text);
  if (body?.['version'] !== 1) {
    return NO_SELECTIONS;
  }
  const documents: unknown = body['documents'];
  return {
    owner: textField(body, 'owner'),
    last: readProjectRef(body['last']),
    documents: Array.isArray(documents)
      ? documents.slice(-MAX_DOCUMENTS).flatMap((entry: unknown) => readEntry(entry))
      : [],
  };
}

function readEntry(entry: unknown): readonly (readonly [string, ProjectRef | null])[] {
  if (!Array.isArray(entry)) {
    return [];
  }
  const fields: readonly unknown[] = entry;
  const [id, project] = fields;
  const document = typeof id === 'string' ? readDocumentId(id) : null;
  return document === null ? [] : [[document, readProjectRef(project)]];
}
