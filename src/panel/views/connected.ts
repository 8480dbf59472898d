import type { CwError } from '../../base/errors.js';
import { isSuperseded } from '../../base/superseded.js';
import { isDoubt } from '../../uploads/photo-record.js';
import { block, buttonRow, setShown, setText, textBlock, type Button } from '../dom.js';
import { standingOf, type Standing } from '../standing.js';
import type { Strings } from '../strings/strings.js';
import type { PanelState, View, ViewContext } from '../view.js';
import { anotherPart } from './another.js';
import { connectionPart } from './connection.js';
import { deliveredPart } from './delivered.js';
import { disconnectPart } from './disconnect.js';
import { exportUpload } from './export-upload.js';
import { failureBox, groupByCode, type FailureGroup } from './failures.js';
import { headline } from './headline.js';
import { listTools, undoPart } from './list-tools.js';
import { notice, type Notice } from './notice.js';
import { photoListView } from './photo-list.js';
import { progressPart } from './progress.js';
import { questionPart } from './question.js';
import { reasonActions } from './reason-actions.js';
import type { Mark } from './sign.js';
import { whoseLine } from './whose.js';

export interface ConnectedView extends View {
  /** The person wants to disconnect: is told first what becomes of photos that have not arrived. */
  disconnect(): void | Promise<void>;
}

/** So many photos that failed stand right below what says so: whoever looks for one of them need not search. */
const MOST_RIGHT_BELOW = 5;

/**
 * Connected: the photos, what can be done with them, and how far they are. All but the top, the progress and the last
 * removal scrolls.
 */
export function connectedView(context: ViewContext): ConnectedView {
  const { strings, button } = context;
  const standing = headline();
  const whose = whoseLine();
  const disconnect = button('quiet', strings.disconnect, () => leaving.press());
  const bar = progressPart(context);
  const undo = undoPart(context);
  /** The list is another copy's: stands in the place of all the work. */
  const elsewhere = notice(strings);
  const scroller = block('scroll');
  const work = workPart(context, scroller);
  let shown: PanelState | null = null;

  function arrange(): void {
    if (shown) {
      showParts(shown, leaving.isAsking, work, bar, undo, disconnect);
    }
  }

  const leaving = disconnectPart(context, arrange);
  for (const part of [leaving, work, elsewhere]) {
    scroller.appendChild(part.root);
  }
  const focus = focusFinder(work, undo);

  return {
    root: block('view fixed', [
      block('head', [standing.root, disconnect.root]),
      whose.root,
      scroller,
      bar.root,
      undo.root,
    ]),
    disconnect: () => leaving.press(),

    update(state) {
      shown = state;
      whose.update(state);
      standing.say(...headlineOf(strings, standingOf(state)));
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

/** Shows whole parts of the view or hides them. */
function showParts(
  state: PanelState,
  isAsking: boolean,
  work: View,
  bar: View,
  undo: View,
  disconnect: Button,
): void {
  // Nothing can be done here when another copy has the list, and what the list says is out of date.
  const isShown = !supersededOf(state) && !isAsking;
  setShown(work.root, isShown);
  setShown(bar.root, isShown && state.progress.total > 0);
  setShown(undo.root, isShown && state.uploader.removal !== null);
  setShown(disconnect.root, !isAsking);
}

interface WorkPart extends View {
  readonly add: Button;
  readonly resume: Button;
}

/**
 * Finds what the keyboard focus goes to: the button that the person most likely needs next. After a
 * removal that is Undo, since what was removed has gone and the focus with it.
 */
function focusFinder(
  { add, resume }: WorkPart,
  undo: View,
): { update(state: PanelState): void; find(): { focus?(): void } } {
  let next: { focus?(): void } = add;
  let lastRemoval: PanelState['uploader']['removal'] = null;
  return {
    update({ uploader: { paused, removal } }) {
      next = paused ? resume : add;
      if (removal && removal !== lastRemoval) {
        next = undo;
      }
      lastRemoval = removal;
    },
    find: () => next,
  };
}

/** What is out of sight while the list is another copy's: adding photos, what went wrong with them, and the list. */
function workPart(context: ViewContext, scroller: HTMLElement): WorkPart {
  const { strings, intents, button } = context;
  const add = button('cta', strings.addPhotos, () => intents.addPhotos());
  const pause = button('secondary', strings.pause, () => intents.pause());
  const exportPart = exportUpload(context);
  const notices = noticesPart(context, () => exportPart.failedTitle());
  const list = photoListView(context, scroller);
  const delivered = deliveredPart(context, scroller);
  const below = [...notices.parts, listTools(context), list, delivered];

  return {
    add,
    resume: notices.resume,
    // What comes and goes by itself stands below the buttons, so that no button moves when somebody is about to press it.
    root: block('work', [
      // Pause comes and goes, too, so it is the last of them.
      buttonRow([add, ...exportPart.buttons, pause]),
      ...below.map(({ root }) => root),
    ]),
    update(state) {
      const { uploader, summary } = state;
      const pending = summary.waiting + summary.uploading > 0;
      setShown(pause.root, !uploader.paused && pending && !uploader.question);
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
 * What there is to know and to decide, in the order in which it stands: what only the person can decide comes first.
 * @param exportFailed  what did not work when the document was not uploaded
 */
function noticesPart(
  context: ViewContext,
  exportFailed: () => string,
): { readonly parts: readonly View[]; readonly resume: Button } {
  const { strings, intents, button } = context;
  const dismiss = (): HTMLElement =>
    buttonRow([button('secondary', strings.dismiss, () => intents.dismissRefused())]);
  const resume = button('secondary', strings.resume, () => intents.resume());
  const storageTrouble = notice(strings);
  const paused = notice(strings, [buttonRow([resume])], 'still');
  const approved = notice(strings, [], 'good');
  const documentTrouble = notice(strings, [dismiss()]);
  const refused = failureBox(strings, [dismiss()]);
  const nothing = textBlock('text strong', strings.noPhotos);
  const failed = failureBox(strings, [], (code) => reasonActions(context, code));
  const parts: readonly View[] = [
    questionPart(context),
    anotherPart(context),
    part(storageTrouble.root, (state) => {
      const trouble = storageTroubleOf(state);
      storageTrouble.error(strings.storageTitle, isSuperseded(trouble) ? null : trouble);
    }),
    connectionPart(context),
    saidWhile(paused, ({ uploader }) => (uploader.paused ? ['', strings.pausedText] : null)),
    saidWhile(approved, ({ justApproved }) =>
      justApproved ? [strings.approvedTitle, strings.approvedText] : null,
    ),
    part(documentTrouble.root, ({ uploader }) => {
      documentTrouble.error(exportFailed(), uploader.documentError);
    }),
    part(refused.root, ({ uploader }) => {
      const failures = uploader.refused.map(({ name, error }) => ({ code: error.code, name }));
      refused.show(strings.refusedTitle, groupByCode(failures));
    }),
    addingPart(context),
    part(nothing, ({ progress, justApproved }) => {
      setShown(nothing, progress.total === 0 && !justApproved);
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

/** A notice that is there as long as there is something to say. */
function saidWhile(
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

/** How many of the picked photos are safe, and a button that stops it. */
function addingPart({ strings, intents, button }: ViewContext): View {
  const text = textBlock('adding-text');
  const cancel = button('secondary', strings.cancel, () => intents.cancelAdding());
  const root = block('adding', [text, buttonRow([cancel])]);
  return {
    root,
    update({ uploader: { adding } }) {
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

/** What is wrong with what is kept on this computer: the list, else the session. */
function storageTroubleOf({ session, uploader }: PanelState): CwError | null {
  const sessionTrouble = session.kind === 'signed-in' ? session.trouble : null;
  return uploader.storageError ?? sessionTrouble;
}

/** That another copy of the plugin keeps the list now; null when this one does. */
function supersededOf(state: PanelState): CwError | null {
  const trouble = storageTroubleOf(state);
  return isSuperseded(trouble) ? trouble : null;
}

function headlineOf(strings: Strings, standing: Standing): [Mark, string] {
  switch (standing) {
    case 'connected':
      return ['good', strings.connected];
    case 'paused':
      return ['still', strings.pausedTitle];
    case 'offline':
      return ['warn', strings.offlineTitle];
    case 'trouble':
      return ['warn', strings.troubleTitle];
    case 'replaced':
      return ['bad', strings.twiceTitle];
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
      // Whether to send these is for the person to say, who has to know which they are.
      return isDoubt(code) ? { code, name } : { code };
    }),
  );
  // What failed is first in the list.
  const areFew = failed.length <= MOST_RIGHT_BELOW;
  return groups.map((group) => ({ ...group, isRightBelow: areFew && group.count === 1 }));
}
