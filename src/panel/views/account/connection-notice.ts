import { buttonRow } from '../../dom.js';
import { connectionStatus } from '../../connection-status.js';
import type { PanelState, View, ViewContext } from '../../view.js';
import { notice } from '../common/notice.js';

/** After a press of Try now the panel shows a try for at least this long, however fast it fails. Milliseconds. */
const SEEN_MS = 1_500;
/** How long the panel reports the failed attempt after the press. Milliseconds. */
const SAID_MS = 12_000;

/** Shows why nothing can be sent now and the time of the next attempt, with a button that retries at once. */
export function connectionNotice({ strings, uploads, clock, button }: ViewContext): View {
  /** When the user last chose Try now during this error. */
  let triedAt: number | null = null;
  let last: PanelState | null = null;
  const tryNow = button('secondary', strings.tryNow, () => {
    triedAt = clock.now();
    uploads.resume();
    if (last) {
      show({ ...last, now: clock.now() });
    }
  });
  const trouble = notice(strings, [buttonRow([tryNow])], 'warning');

  function show(state: PanelState): void {
    last = state;
    const { queue, now } = state;
    const status = connectionStatus(state);
    if (queue.kind === 'closed' || (status !== 'offline' && status !== 'trouble')) {
      triedAt = null;
      trouble.hide();
      return;
    }
    const since = triedAt === null ? Infinity : now - triedAt;
    const isTrying = queue.trying === true || (since >= 0 && since < SEEN_MS);
    const attempt = since >= 0 && since < SAID_MS ? strings.triedInVain : strings.keepsTrying;
    // No title: the headline shows it.
    trouble.error(
      '',
      queue.error,
      ...(isTrying
        ? [strings.tryingAgainNow]
        : [attempt, strings.tryingAgainIn(queue.until - now)]),
    );
  }

  return { root: trouble.root, update: show };
}
