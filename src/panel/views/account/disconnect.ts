import { buttonRow } from '../../dom.js';
import type { PanelState, View, ViewContext } from '../../view.js';
import { notice } from '../common/notice.js';

/** Disconnects at once when all photos are uploaded, else only after the user has confirmed. */
export interface DisconnectSection extends View {
  /** The user wants to disconnect. */
  press(): void | Promise<void>;
  readonly isAsking: boolean;
}

/** Creates the prompt. @param onChange  called when the prompt opens or closes, with `isAsking` */
export function disconnectSection(
  { strings, actions, button }: ViewContext,
  onChange: () => void,
): DisconnectSection {
  const cancel = button('secondary', strings.cancel, () => {
    ask(false);
  });
  const go = button('secondary', strings.disconnect, () => actions.disconnect());
  const prompt = notice(strings, [buttonRow([go, cancel])]);
  let isAsking = false;
  let unsent = 0;

  function ask(next: boolean): void {
    if (isAsking === next) {
      return;
    }
    isAsking = next;
    say();
    onChange();
    // The focus goes to Cancel, so that pressing the same key twice decides nothing.
    if (isAsking) {
      cancel.focus();
    }
  }

  function say(): void {
    if (isAsking) {
      prompt.say(
        strings.disconnectTitle,
        strings.count('notArrivedCount', unsent),
        strings.disconnectText,
      );
    } else {
      prompt.hide();
    }
  }

  return {
    root: prompt.root,
    get isAsking() {
      return isAsking;
    },
    press() {
      if (unsent > 0) {
        ask(true);
      }
      return unsent > 0 ? undefined : actions.disconnect();
    },
    update(state) {
      unsent = unsentOf(state);
      ask(isAsking && unsent > 0);
      say();
    },
    leave() {
      ask(false);
    },
  };
}

/** How many photos are not uploaded, including those that are still being added. */
function unsentOf({ summary, uploadState: { adding } }: PanelState): number {
  const { waiting, uploading, failed } = summary;
  return waiting + uploading + failed + (adding ? Math.max(0, adding.total - adding.done) : 0);
}
