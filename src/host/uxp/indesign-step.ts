import { CwError, toCwError, type ErrorCode } from '../../util/errors.js';
import { openInDesignDocument } from './indesign-document.js';
import { member } from './indesign-enumeration.js';
import type { InDesignDocument, InDesignModule } from './indesign-module.js';

/** An open document by its key. @throws {CwError} CW-803 */
export function inDesignDocumentOf(
  indesign: InDesignModule,
  documentKey: string,
): InDesignDocument {
  let document: InDesignDocument | null;
  try {
    document = openInDesignDocument(indesign, documentKey);
  } catch (error) {
    throw new CwError('CW-803', 'the document is closing', { cause: error });
  }
  if (!document) {
    throw new CwError('CW-803', 'the document is not open');
  }
  return document;
}

/**
 * Carries out a change as one step, and undoes it when it fails.
 * @param work  synchronous
 * @throws {CwError} what `work` throws, or `code`
 */
export async function runAsStep(
  indesign: InDesignModule,
  document: InDesignDocument,
  name: string,
  work: () => void,
  code: ErrorCode,
): Promise<void> {
  const steps = stepsOf(document);
  // Whether the host lets an exception out of a script is not documented.
  const outcome: { isDone: boolean; failure?: unknown } = { isDone: false };
  try {
    await indesign.app.doScript(
      () => {
        try {
          work();
          outcome.isDone = true;
        } catch (error) {
          outcome.failure = error;
        }
      },
      member(indesign, 'ScriptLanguage', 'UXPSCRIPT'),
      [],
      member(indesign, 'UndoModes', 'ENTIRE_SCRIPT'),
      name,
    );
  } catch (error) {
    outcome.failure ??= error;
  }
  if (!outcome.isDone) {
    if (stepsOf(document) > steps) {
      undo(document);
    }
    throw toCwError(outcome.failure, code, 'InDesign did not change the document');
  }
}

/** How many steps can be undone; 0 when InDesign does not give that. */
function stepsOf({ undoHistory }: InDesignDocument): number {
  return undoHistory.length;
}

/** Never throws: what is left is found by the next call. */
function undo(document: InDesignDocument): void {
  try {
    document.undo();
  } catch {
    return;
  }
}

/** Bounds of a page or a frame as numbers. @throws {Error} when InDesign gives no numbers */
export function boundsOf(
  bounds: readonly (number | string)[],
): readonly [top: number, left: number, bottom: number, right: number] {
  const [top = Number.NaN, left = Number.NaN, bottom = Number.NaN, right = Number.NaN] = bounds.map(
    (side) => Number.parseFloat(String(side)),
  );
  if (!(bottom > top && right > left)) {
    throw new Error('there are no bounds');
  }
  return [top, left, bottom, right];
}

/**
 * Whether a call may have been refused because of its arguments. InDesign translates its messages, but these words are in
 * all of them: they name the method (`exportFile`), the parameter (`fileName`) or the class (`File`).
 */
export function isAboutParameter(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    (error instanceof Error && /file|entry|argument|parameter|type/i.test(error.message))
  );
}
