import type { CwError } from '../../../util/errors.js';
import { isStorageTakenOver } from '../../../util/storage-ownership.js';
import { needsConfirmation } from '../../../uploads/queue/photo-record.js';
import { box, buttonRow, setShown, setText, textBox, type Button } from '../../dom.js';
import { connectionStatus, type ConnectionStatus } from '../../connection-status.js';
import type { Translations } from '../../i18n/translations.js';
import type { PanelState, View, ViewContext } from '../../view.js';
import { accountSwitchNotice } from '../account/account-switch-notice.js';
import { connectionNotice } from '../account/connection-notice.js';
import { uploadedSection } from '../history/uploaded.js';
import { disconnectSection } from '../account/disconnect.js';
import { exportUpload } from './export-upload.js';
import { foundSection } from './found.js';
import { failureBox, groupByCode, type FailureGroup } from './failure-groups.js';
import { headline } from '../common/headline.js';
import { listToolbar, undoSection } from './list-toolbar.js';
import { notice, type Notice } from '../common/notice.js';
import { photoListView } from './photo-list.js';
import { progressSection } from './progress.js';
import { questionSection } from './question.js';
import { failureActions } from './failure-actions.js';
import type { StatusMark } from '../common/status-icon.js';
import { accountLine } from '../account/account-line.js';

export interface ConnectedView extends View {
  /** Disconnects. When photos are not uploaded yet, opens a prompt first. */
  disconnect(): void | Promise<void>;
}

/** Up to this many failed photos are found right below the box that reports them, without searching. */
const MOST_RIGHT_BELOW = 5;

/**
 * The view when connected: the photos, what can be done with them, and how far they are. Everything scrolls, except the
 * top, the progress and the last removal.
 */
export function connectedView(context: ViewContext): ConnectedView {
  const { strings, button } = context;
  const standing = headline();
  const whose = accountLine();
  const disconnect = button('quiet', strings.disconnect, () => leaving.press());
  const bar = progressSection(context);
  const undo = undoSection(context);
  /** Shown in place of all the work when another copy of the plugin owns the list. */
  const elsewhere = notice(strings);
  const scroller = box('scroll');
  const work = workSection(context, scroller);
  let shown: PanelState | null = null;

  function arrange(): void {
    if (shown) {
      showParts(shown, leaving.isAsking, work, bar, undo, disconnect);
    }
  }

  const leaving = disconnectSection(context, arrange);
  for (const part of [leaving, work, elsewhere]) {
    scroller.appendChild(part.root);
  }
  const focus = focusFinder(work, undo);

  return {
    root: box('view fixed', [
      box('head', [standing.root, disconnect.root]),
      whose.root,
      scroller,
      bar.root,
      undo.root,
    ]),
    disconnect: () => leaving.press(),

    update(state) {
      shown = state;
      whose.update(state);
      standing.say(...headlineOf(strings, connectionStatus(state)));
      elsewhere.error('', supersededOf(state));
      for (const part of [work, bar, undo, leaving]) {
        part.update(state);
      }
      focus.update(state);
      arrange();
    },
    focus: () => {
      focus.find().focus?.();
    },
    leave() {
      work.leave?.();
      leaving.leave?.();
    },
  };
}

/** Shows or hides whole parts of the view. */
function showParts(
  state: PanelState,
  isAsking: boolean,
  work: View,
  bar: View,
  undo: View,
  disconnect: Button,
): void {
  // When another copy owns the list, nothing can be done here, and what the list shows is out of date.
  const isShown = !supersededOf(state) && !isAsking;
  setShown(work.root, isShown);
  setShown(bar.root, isShown && state.progress.total > 0);
  setShown(undo.root, isShown && state.uploadState.removal !== null);
  setShown(disconnect.root, !isAsking);
}

interface WorkSection extends View {
  readonly add: Button;
  readonly resume: Button;
}

/**
 * Finds the element for the keyboard focus: the button that the user most likely needs next. After a removal that is
 * Undo, because the removed row is gone and the focus with it.
 */
function focusFinder(
  { add, resume }: WorkSection,
  undo: View,
): { update(state: PanelState): void; find(): { focus?(): void } } {
  let next: { focus?(): void } = add;
  let lastRemoval: PanelState['uploadState']['removal'] = null;
  return {
    update({ uploadState: { paused, removal } }) {
      next = paused ? resume : add;
      if (removal && removal !== lastRemoval) {
        next = undo;
      }
      lastRemoval = removal;
    },
    find: () => next,
  };
}

/** The part that is hidden while another copy owns the list: adding photos, what went wrong with them, and the list. */
function workSection(context: ViewContext, scroller: HTMLElement): WorkSection {
  const { strings, actions, uploads, button } = context;
  const add = button('cta', strings.addPhotos, () => actions.addPhotos());
  const pause = button('secondary', strings.pause, () => uploads.pause());
  const exportPart = exportUpload(context);
  const notices = noticesSection(context, () => exportPart.failedTitle());
  const list = photoListView(context, scroller);
  const delivered = uploadedSection(context, scroller);
  const below = [...notices.parts, listToolbar(context), list, delivered];

  return {
    add,
    resume: notices.resume,
    // Content that appears automatically is below the buttons, so that no button moves under the pointer.
    root: box('work', [
      // Pause comes and goes, too, so it is the last button.
      buttonRow([add, ...exportPart.buttons, pause]),
      ...below.map(({ root }) => root),
    ]),
    update(state) {
      const { uploadState, summary } = state;
      const pending = summary.waiting + summary.uploading > 0;
      setShown(pause.root, !uploadState.paused && pending && !uploadState.question);
      for (const part of below) {
        part.update(state);
      }
    },
    leave() {
      scroller.scrollTop = 0;
      list.leave?.();
      delivered.leave?.();
    },
  };
}

/**
 * All notices, in the order in which they are shown: those that need the user's decision are first.
 * @param exportFailed  the title for an export that failed
 */
function noticesSection(
  context: ViewContext,
  exportFailed: () => string,
): { readonly parts: readonly View[]; readonly resume: Button } {
  const { strings, uploads, button } = context;
  const dismiss = (): HTMLElement =>
    buttonRow([button('secondary', strings.dismiss, () => uploads.dismissRefused())]);
  const resume = button('secondary', strings.resume, () => uploads.resume());
  const retryStorage = buttonRow([
    button('secondary', strings.tryAgain, () => uploads.retryStorage()),
  ]);
  const storageTrouble = notice(strings, [retryStorage]);
  const paused = notice(strings, [buttonRow([resume])], 'paused');
  const approved = notice(strings, [], 'success');
  const documentTrouble = notice(strings, [dismiss()]);
  const refused = failureBox(strings, [dismiss()]);
  const nothing = textBox('text strong', strings.noPhotos);
  const failed = failureBox(strings, [], (code) => failureActions(context, code));
  const parts: readonly View[] = [
    questionSection(context),
    accountSwitchNotice(context),
    part(storageTrouble.root, (state) => {
      const trouble = storageTroubleOf(state);
      const more = state.uploadState.isUnread ? [strings.unreadText] : [];
      storageTrouble.error(
        strings.storageTitle,
        isStorageTakenOver(trouble) ? null : trouble,
        ...more,
      );
      setShown(retryStorage, state.uploadState.storageError !== null);
    }),
    foundSection(context),
    connectionNotice(context),
    conditionalNotice(paused, ({ uploadState }) =>
      uploadState.paused ? ['', strings.pausedText] : null,
    ),
    conditionalNotice(approved, ({ justApproved }) =>
      justApproved ? [strings.approvedTitle, strings.approvedText] : null,
    ),
    part(documentTrouble.root, ({ uploadState }) => {
      const error = uploadState.documentError;
      const name = error?.busyWith ?? null;
      documentTrouble.error(
        exportFailed(),
        error,
        ...(name === null ? [] : [strings.fill('busyWith', { name })]),
      );
    }),
    part(refused.root, ({ uploadState }) => {
      const failures = uploadState.rejected.map(({ name, error }) => ({ code: error.code, name }));
      refused.show(strings.refusedTitle, groupByCode(failures));
    }),
    addingSection(context),
    part(nothing, ({ progress, justApproved, uploadState }) => {
      setShown(nothing, progress.total === 0 && !justApproved && !uploadState.isUnread);
    }),
    part(failed.root, (state) => {
      failed.show(strings.count('failedCount', state.summary.failed), failuresOf(context, state));
    }),
  ];
  return { parts, resume };
}

function part(root: HTMLElement, update: View['update']): View {
  return { root, update };
}

/** A notice that is shown while `wordsOf` returns a text. */
function conditionalNotice(
  shown: Notice,
  wordsOf: (state: PanelState) => readonly [string, string] | null,
): View {
  return part(shown.root, (state) => {
    const words = wordsOf(state);
    if (words) {
      shown.say(...words);
    } else {
      shown.hide();
    }
  });
}

/** Shows how many of the picked photos have been made safe, with a button that stops this. */
function addingSection({ strings, uploads, button }: ViewContext): View {
  const text = textBox('adding-text');
  const cancel = button('secondary', strings.cancel, () => uploads.cancelAdding());
  const root = box('adding', [text, buttonRow([cancel])]);
  return {
    root,
    update({ uploadState: { adding } }) {
      setShown(root, adding !== null);
      if (!adding) {
        return;
      }
      const { done, total } = adding;
      setText(
        text,
        strings.fill('adding', {
          done: strings.number(Math.min(done + 1, total)),
          total: strings.number(total),
        }),
      );
    },
  };
}

/** The error of storage on this computer: of the list, else of the session; null when there is none. */
function storageTroubleOf({ session, uploadState }: PanelState): CwError | null {
  const sessionTrouble = session.kind === 'signed-in' ? session.trouble : null;
  return uploadState.storageError ?? sessionTrouble;
}

/** The error CW-704 when another copy of the plugin owns the list; null when this one does. */
function supersededOf(state: PanelState): CwError | null {
  const trouble = storageTroubleOf(state);
  return isStorageTakenOver(trouble) ? trouble : null;
}

function headlineOf(strings: Translations, standing: ConnectionStatus): [StatusMark, string] {
  switch (standing) {
    case 'connected':
      return ['success', strings.connected];
    case 'paused':
      return ['paused', strings.pausedTitle];
    case 'offline':
      return ['warning', strings.offlineTitle];
    case 'trouble':
      return ['warning', strings.troubleTitle];
    case 'replaced':
      return ['error', strings.twiceTitle];
  }
}

function failuresOf(context: ViewContext, { summary }: PanelState): readonly FailureGroup[] {
  if (summary.failed === 0) {
    return [];
  }
  const failed = context.photos().filter(({ phase }) => phase === 'failed');
  const groups = groupByCode(
    failed.map(({ record: { failure, name } }) => {
      const code = failure ?? 'CW-901';
      // The user has to decide about these photos, and so needs their names.
      return needsConfirmation(code) ? { code, name } : { code };
    }),
  );
  // Failed photos come first in the list.
  const areFew = failed.length <= MOST_RIGHT_BELOW;
  return groups.map((group) => ({ ...group, isRightBelow: areFew && group.count === 1 }));
}
