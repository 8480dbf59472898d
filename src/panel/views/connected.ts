import { button, element, replaceChildren, setAttribute, setShown, setText } from '../dom.js';
import type { PanelState, View, ViewContext } from '../view.js';
import { errorLine } from './error-line.js';
import { photoListView } from './photo-list.js';

/** Connected: the photos, how far they are, and what can be done with them. */
export function connectedView(context: ViewContext): View {
  const { strings, intents } = context;
  const onFault = (fault: unknown): void => context.onFault(fault);
  const secondary = (label: string, onClick: () => void | Promise<void>): HTMLElement =>
    button({ label, variant: 'secondary', onClick }, onFault);

  const add = button(
    {
      label: strings.addPhotos,
      id: 'add-photos',
      variant: 'cta',
      onClick: () => intents.addPhotos(),
    },
    onFault,
  );
  const pause = secondary(strings.pause, () => intents.pause());
  const resume = secondary(strings.resume, () => intents.resume());
  const retryAll = secondary(strings.retryAll, () => intents.retryAllFailed());
  const disconnect = button(
    {
      label: strings.disconnect,
      variant: 'secondary',
      quiet: true,
      onClick: () => intents.disconnect(),
    },
    onFault,
  );
  const dismiss = secondary(strings.dismiss, () => intents.dismissRefused());

  const adding = element('div', { class: 'text' });
  const progress = element('div', { class: 'text strong' });
  const bar = element('sp-progressbar', { attributes: { max: '100', value: '0' } });
  const barBox = element('div', { class: 'bar' }, [bar]);
  const failed = element('div', { class: 'error-text' });
  const failedBox = element('div', { class: 'failed' }, [failed, retryAll]);
  const notice = element('div', { class: 'text' });
  const trouble = errorLine(strings);
  const storageTrouble = errorLine(strings);
  const refusedList = element('div');
  const refusedBox = element('div', { class: 'refused' }, [refusedList, dismiss]);
  const photoList = photoListView(context);
  let refusedShown = '';

  const root = element('div', { class: 'view' }, [
    element('div', { class: 'bar-line' }, [
      element('div', { id: 'connected', class: 'connected', text: strings.connected }),
      disconnect,
    ]),
    element('div', { class: 'actions' }, [add, pause, resume]),
    storageTrouble.root,
    trouble.root,
    notice,
    adding,
    progress,
    barBox,
    failedBox,
    refusedBox,
    photoList.root,
  ]);

  return {
    root,
    update(state) {
      const { session, queue, uploader, summary, now } = state;
      const pending = summary.waiting + summary.uploading;
      setText(
        adding,
        uploader.adding ? strings.adding(uploader.adding.done, uploader.adding.total) : '',
      );
      setShown(adding, uploader.adding !== null);
      setShown(pause, !uploader.paused && pending > 0);
      setShown(resume, uploader.paused);

      setText(progress, progressText(state, context));
      setShown(barBox, pending > 0);
      const percent = Math.floor((100 * summary.sentBytes) / Math.max(1, summary.totalBytes));
      setAttribute(bar, 'value', String(Math.min(99, percent)));

      setShown(notice, uploader.paused);
      setText(notice, strings.paused);
      const waiting = queue.kind === 'waiting' && pending > 0 && !uploader.paused ? queue : null;
      trouble.show(
        waiting?.error ?? null,
        waiting ? strings.tryingAgainIn(Math.ceil((waiting.until - now) / 1000)) : undefined,
      );
      storageTrouble.show(
        uploader.storageError ?? (session.kind === 'signed-in' ? session.trouble : null),
      );
      setShown(failedBox, summary.failed > 0);
      setText(failed, strings.failedCount(summary.failed));
      setShown(refusedBox, uploader.refused.length > 0);
      const refusedTexts = uploader.refused.map(
        ({ name, error }) =>
          `${strings.notQueued(name)} ${strings.errors[error.code]} (${error.code})`,
      );
      if (refusedTexts.join('\n') !== refusedShown) {
        refusedShown = refusedTexts.join('\n');
        replaceChildren(
          refusedList,
          refusedTexts.map((text) => element('div', { class: 'error-text', text })),
        );
      }
      photoList.update(state);
    },
  };
}

function progressText({ summary }: PanelState, { strings }: ViewContext): string {
  const { waiting, uploading, uploaded, failed } = summary;
  const total = waiting + uploading + uploaded + failed;
  if (total === 0) return strings.noPhotos;
  if (uploaded === total) return strings.allUploaded(uploaded);
  return strings.progress(uploaded, total);
}
