import type { ErrorCode } from '../../base/errors.js';
import { isDoubt, retryCanHelp } from '../../uploads/photo-record.js';
import { buttonRow } from '../dom.js';
import type { ViewContext } from '../view.js';
import type { ReasonActions } from './failures.js';

/** All that failed for one reason: tried again where that can help, and removed. */
export function reasonActions(
  { strings, intents, button }: ViewContext,
  code: ErrorCode,
): ReasonActions {
  const remove = button('action', '', () => intents.removeFailed(code));
  const retry = retryCanHelp(code)
    ? [
        button('action', isDoubt(code) ? strings.sendAnyway : strings.retry, () =>
          intents.retryFailed(code),
        ),
      ]
    : [];
  return {
    root: buttonRow([...retry, remove]),
    update(count) {
      remove.setLabel(strings.count('removeFailed', count));
    },
  };
}
