import type { ErrorCode } from '../../base/errors.js';
import { isSuperseded } from '../../base/superseded.js';
import type { DocumentFormat, ExportOffer } from '../../host/host.js';
import { isDoubt, retryCanHelp } from '../../uploads/upload-record.js';
import { block, buttonRow, element, setAttribute, setShown, setText, textBlock } from '../dom.js';
import { standingOf, type Standing } from '../standing.js';
import type { PanelState, View, ViewContext } from '../view.js';
import { connectionPart } from './connection.js';
import { disconnectPart } from './disconnect.js';
import { failureBox, groupByCode, type ReasonActions } from './failures.js';
import { headline } from './headline.js';
import { listTools, undoPart } from './list-tools.js';
import { notice } from './notice.js';
import { photoListView } from './photo-list.js';
import { sign, type Mark } from './sign.js';

const FORMAT_NAMES: Readonly<Record<DocumentFormat, string>> = {
  jpg: 'JPEG',
  png: 'PNG',
  psd: 'PSD',
  pdf: 'PDF',
};

/** What the button says and what is said when it did not work, by what would have been uploaded. */
const EXPORT_WORDS = {
  document: { label: 'uploadDocument', failed: 'documentTitle' },
  page: { label: 'uploadPage', failed: 'pageTitle' },
  frame: { label: 'uploadFrame', failed: 'frameTitle' },
} as const;

export interface ConnectedView extends View {
  /** The person wants to disconnect: is told first what becomes of photos that have not arrived. */
  disconnect(): void | Promise<void>;
}

/**
 * Connected: the photos, how far they are, and what can be done with them. All but the top, the progress and the last
 * removal scrolls.
 */
export function connectedView(context: ViewContext): ConnectedView {
  const { strings, intents, button } = context;
  /** One button in a row of its own. */
  const alone = (label: string, onClick: () => void | Promise<void>): HTMLElement =>
    buttonRow([button('secondary', label, onClick)]);
  const dismiss = (): HTMLElement => alone(strings.dismiss, () => intents.dismissRefused());
  const add = button('cta', strings.addPhotos, () => intents.addPhotos());
  const disconnect = button('quiet', strings.disconnect, () => leaving.press());
  const pause = button('secondary', strings.pause, () => intents.pause());

  const exportPart = exportUpload(context);
  const question = questionPart(context);
  const bar = progressPart(context);

  const storageTrouble = notice(strings);
  const connection = connectionPart(context);
  const standing = headline();
  const resume = button('secondary', strings.resume, () => intents.resume());
  const paused = notice(strings, [buttonRow([resume])], 'still');
  const approved = notice(strings, [], 'good');
  const failed = failureBox(strings, [], (code) => reasonActions(context, code));
  const refused = failureBox(strings, [dismiss()]);
  const documentTrouble = notice(strings, [dismiss()]);
  const adding = textBlock('adding-text');
  const addingPart = block('adding', [adding, alone(strings.cancel, () => intents.cancelAdding())]);
  const tools = listTools(context);
  const undo = undoPart(context);
  const scroller = block('scroll');
  const list = photoListView(context, scroller);
  const work = block('work', [
    connection.root,
    paused.root,
    approved.root,
    question.root,
    buttonRow([add, pause]),
    exportPart.root,
    documentTrouble.root,
    refused.root,
    addingPart,
    failed.root,
    tools.root,
    list.root,
  ]);
  let lastRemoval: PanelState['uploader']['removal'] = null;
  /** What is shown or not as a whole, and why. */
  let isElsewhere = false;
  let isNew = false;
  const arrange = (): void => {
    // Nothing can be done here when another copy has the list, and what the list says is out of date.
    const isShown = !isElsewhere && !leaving.isAsking;
    setShown(work, isShown);
    setShown(bar.root, isShown && !isNew);
    setShown(undo.root, isShown && lastRemoval !== null);
    setShown(disconnect.root, !leaving.isAsking);
  };
  const leaving = disconnectPart(context, arrange);
  scroller.appendChild(storageTrouble.root);
  scroller.appendChild(leaving.root);
  scroller.appendChild(work);
  let next: { focus?(): void } = add;

  return {
    root: block('view fixed', [
      block('head', [standing.root, disconnect.root]),
      bar.root,
      scroller,
      undo.root,
    ]),
    disconnect: () => leaving.press(),

    update(state) {
      const { session, uploader, summary, justApproved } = state;
      const pending = summary.waiting + summary.uploading > 0;
      next = uploader.paused ? resume : add;
      standing.say(...headlineOf(standingOf(state)));
      // What was removed has gone, and the focus with it.
      if (uploader.removal && uploader.removal !== lastRemoval) next = undo;
      lastRemoval = uploader.removal;

      if (justApproved) approved.say(strings.approvedTitle, strings.approvedText);
      else approved.hide();
      question.update(state);
      setShown(pause.root, !uploader.paused && pending && !uploader.question);
      if (uploader.paused) paused.say('', strings.pausedText);
      else paused.hide();
      setShown(addingPart, uploader.adding !== null);
      if (uploader.adding) {
        const { done, total } = uploader.adding;
        setText(
          adding,
          strings.fill('adding', {
            done: strings.number(Math.min(done + 1, total)),
            total: strings.number(total),
          }),
        );
      }

      const sessionTrouble = session.kind === 'signed-in' ? session.trouble : null;
      const storage = uploader.storageError ?? sessionTrouble;
      isElsewhere = isSuperseded(storage);
      isNew = justApproved;
      storageTrouble.error(isElsewhere ? '' : strings.storageTitle, storage);
      connection.update(state);
      refused.show(
        strings.refusedTitle,
        groupByCode(uploader.refused.map(({ name, error }) => ({ code: error.code, name }))),
      );
      documentTrouble.error(exportPart.failedTitle(), uploader.documentError);
      bar.update(state);
      failed.show(strings.count('failedCount', summary.failed), failuresOf(state));
      tools.update(state);
      list.update(state);
      undo.update(state);
      leaving.update(state);
      arrange();
    },
    focus: () => {
      next.focus?.();
    },
    leave() {
      list.leave?.();
      leaving.leave?.();
    },
  };

  function headlineOf(how: Standing): [Mark, string] {
    switch (how) {
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

  function failuresOf({ summary }: PanelState): ReturnType<typeof groupByCode> {
    if (summary.failed === 0) return [];
    return groupByCode(
      context
        .photos()
        .filter(({ phase }) => phase === 'failed')
        .map(({ record: { failure, name } }) => {
          const code = failure ?? 'CW-901';
          // Whether to send these is for the person to say, who has to know which they are.
          return isDoubt(code) ? { code, name } : { code };
        }),
    );
  }
}

/**
 * Sending what is open in the app: one button, and one that goes through what the app offers, as the host's dropdown has
 * no keyboard. Nothing is in sight where the app offers nothing.
 */
function exportUpload({ strings, intents, button, exportOffers }: ViewContext): {
  readonly root: HTMLElement;
  /** What did not work when the last upload did not. */
  failedTitle(): string;
} {
  const [first] = exportOffers;
  if (!first) return { root: block('buttons'), failedTitle: () => strings.documentTitle };
  let chosen: ExportOffer = first;
  let asked: ExportOffer = first;
  const words = ({ gives }: ExportOffer): (typeof EXPORT_WORDS)[typeof gives] =>
    EXPORT_WORDS[gives];
  const formatLabel = (): string => strings.fill('format', { format: FORMAT_NAMES[chosen.format] });
  const upload = button('secondary', strings[words(chosen).label], () => {
    asked = chosen;
    return intents.uploadDocument(chosen.format, strings[words(chosen).label]);
  });
  const format = button('action', formatLabel(), () => {
    chosen = exportOffers[(exportOffers.indexOf(chosen) + 1) % exportOffers.length] ?? first;
    upload.setLabel(strings[words(chosen).label]);
    format.setLabel(formatLabel());
  });
  return {
    root: buttonRow(exportOffers.length > 1 ? [upload, format] : [upload]),
    failedTitle: () => strings[words(asked).failed],
  };
}

/** All that failed for one reason: tried again where that can help, and removed. */
function reasonActions({ strings, intents, button }: ViewContext, code: ErrorCode): ReasonActions {
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

/** Photos of an earlier connection: may they go to the account that is connected now? */
function questionPart({ strings, intents, button }: ViewContext): View {
  const asked = notice(strings, [
    buttonRow([
      button('cta', strings.sendThem, () => intents.answerQuestion(true)),
      button('secondary', strings.removeThem, () => intents.answerQuestion(false)),
    ]),
  ]);
  return {
    root: asked.root,
    update({ uploader: { question } }) {
      if (!question) asked.hide();
      else
        asked.say(
          strings.questionTitle,
          strings.count('questionCount', question.photos),
          strings.questionText,
        );
    },
  };
}

/** How far everything is: photos, bytes, speed, time. */
function progressPart({ strings }: ViewContext): View {
  const arrived = sign();
  const counts = textBlock('progress');
  const again = textBlock('detail', strings.sentAgain);
  const bytes = textBlock('detail bytes');
  const speed = textBlock('detail speed');
  const time = textBlock('detail');
  const bar = element('sp-progressbar', { attributes: { max: '100', value: '0' } });
  const barBox = block('bar', [bar]);
  const details = block('progress-details', [bytes, again, speed, time]);
  return {
    root: block('progress-part', [block('progress-head', [arrived.root, counts]), barBox, details]),
    update(state) {
      const { progress, summary } = state;
      const { uploaded, total, sentBytes, totalBytes, sendingAgain } = progress;
      // What was measured before says nothing while nothing can be sent.
      const bytesPerSecond = standingOf(state) === 'connected' ? progress.bytesPerSecond : null;
      arrived.show(total > 0 && uploaded === total ? 'good' : null);
      const pending = summary.waiting + summary.uploading > 0;
      if (total === 0) setText(counts, strings.noPhotos);
      else if (uploaded === total) setText(counts, strings.count('allUploaded', total));
      else
        setText(
          counts,
          strings.count('progress', total, { uploaded: strings.number(Math.max(0, uploaded)) }),
        );
      setShown(barBox, pending);
      setShown(details, pending);
      if (!pending) return;
      // The bar is full only when the service has confirmed the last byte.
      const percent = Math.floor((100 * sentBytes) / Math.max(1, totalBytes));
      setAttribute(bar, 'value', String(Math.min(99, percent)));
      setText(
        bytes,
        strings.fill('bytesSent', {
          sent: strings.size(sentBytes),
          total: strings.size(totalBytes),
        }),
      );
      setShown(again, sendingAgain);
      setShown(speed, bytesPerSecond !== null);
      setShown(time, bytesPerSecond !== null);
      if (bytesPerSecond === null) return;
      setText(speed, strings.fill('speed', { size: strings.size(bytesPerSecond) }));
      setText(time, strings.timeLeft(((totalBytes - sentBytes) * 1000) / bytesPerSecond));
    },
  };
}
