import type { ErrorCode } from '../../../util/errors.js';
import { needsConfirmation, retryCanHelp } from '../../../uploads/queue/photo-record.js';
import { buttonRow, setShown } from '../../dom.js';
import type { Translations } from '../../i18n/translations.js';
import type { ViewContext } from '../../view.js';
import type { FailureActions } from './failure-groups.js';

/**
 * The buttons for all photos that failed for one reason: try again where that can help, and remove. A single photo
 * whose row is right below is removed there; photos in doubt (CW-609 to CW-611) can always be removed here.
 */
export function failureActions(
  { strings, uploads, button }: ViewContext,
  code: ErrorCode,
): FailureActions {
  const remove = button('action', strings.skip, () => uploads.removeFailed(code));
  const retry = button('action', sendLabel(strings, code), () => uploads.retryFailed(code));
  if (code === 'CW-611') {
    return { root: buttonRow([remove, retry]), update: () => undefined };
  }
  return {
    root: buttonRow(retryCanHelp(code) ? [retry, remove] : [remove]),
    update({ count, isRightBelow }) {
      setShown(remove.root, isRightBelow !== true || needsConfirmation(code));
      remove.setLabel(strings.count('removeFailed', count));
    },
  };
}

/** The label of the button that sends a photo which failed for this reason. */
export function sendLabel(strings: Translations, code: ErrorCode | null): string {
  if (code === 'CW-611') {
    return strings.sendAgain;
  }
  return needsConfirmation(code) ? strings.sendAnyway : strings.retry;
}
