import type { ErrorCode } from '../../../util/errors.js';
import type { UploadItem } from '../../../uploads/queue/upload-item.js';
import { retryCanHelp } from '../../../uploads/queue/photo-record.js';
import { box, buttonRow, element, setAttribute, setShown, setText, textBox } from '../../dom.js';
import type { Translations } from '../../i18n/translations.js';
import type { ViewContext } from '../../view.js';
import { fileName } from '../common/file-name.js';
import { sendLabel } from './failure-actions.js';
import { statusIcon } from '../common/status-icon.js';

export interface PhotoRow {
  readonly root: HTMLElement;
  /**
   * @param isOpen  whether the photo's buttons are unfolded
   * @param isSending  whether anything can be sent at the moment
   */
  update(item: UploadItem, isOpen: boolean, isSending: boolean): void;
}

/** Whether a photo has buttons to unfold. */
export function hasOptions({ phase }: UploadItem): boolean {
  return phase !== 'uploaded';
}

/** The row of one photo: its name, its state, and its buttons. All folded rows have the same height. */
export function photoRow(
  context: ViewContext,
  { id, name }: UploadItem['record'],
  onToggle: () => void,
): PhotoRow {
  const { strings, button } = context;
  const size = textBox('photo-size');
  const mark = statusIcon();
  const state = textBox('photo-state');
  const bar = element('sp-progressbar', { attributes: { max: '100', value: '0', size: 'small' } });
  const barBox = box('photo-bar', [bar]);
  const toggle = button('quiet', strings.options, onToggle);
  const actions = photoActions(context, id);
  const root = box('photo', [
    box('photo-line', [fileName('photo-name', name), size]),
    box('photo-line photo-second', [box('photo-standing', [mark.root, state]), toggle.root]),
    barBox,
    actions.root,
  ]);

  return {
    root,
    update(item, isOpen, isSending) {
      const { record, phase, sentBytes } = item;
      // Never 100 % during the upload: only the service's answer confirms the last byte.
      const percent = Math.min(99, Math.floor((100 * sentBytes) / Math.max(1, record.size)));
      const isMoving = phase === 'uploading' && isSending;
      setText(size, strings.size(record.size));
      setText(state, stateText(strings, item, isSending, percent));
      setAttribute(
        state,
        'class',
        `photo-state ${isMoving || phase !== 'uploading' ? phase : 'waiting'}`,
      );
      mark.show(phase === 'uploaded' ? 'success' : phase === 'failed' ? 'error' : null);
      setShown(barBox, phase === 'uploading');
      setAttribute(bar, 'value', String(percent));
      setShown(toggle.root, hasOptions(item));
      toggle.setLabel(isOpen ? strings.close : strings.options);
      actions.update(item, isOpen);
    },
  };
}

/** The buttons of one photo. */
function photoActions(
  { strings, uploads, button }: ViewContext,
  id: string,
): { readonly root: HTMLElement; update(item: UploadItem, isOpen: boolean): void } {
  const send = button('action', strings.retry, () => uploads.retry(id));
  const next = button('action', strings.sendNext, () => uploads.makeNext(id));
  const remove = button('action', strings.remove, () => uploads.remove(id));
  const root = buttonRow([send, next, remove]);
  return {
    root,
    update({ phase, record: { failure } }, isOpen) {
      setShown(root, isOpen);
      send.setLabel(sendLabel(strings, failure));
      setShown(send.root, phase === 'failed' && retryCanHelp(failure));
      setShown(next.root, phase === 'waiting');
    },
  };
}

function stateText(
  strings: Translations,
  { phase, record }: UploadItem,
  isSending: boolean,
  percent: number,
): string {
  switch (phase) {
    case 'uploaded':
      return strings.photoUploaded;
    case 'failed':
      return failedText(strings, record.failure);
    case 'uploading':
    case 'waiting':
      if (phase === 'uploading' && isSending) {
        return strings.fill('photoUploading', { percent: strings.percent(percent) });
      }
      // An interrupted photo still shows how much of it was sent.
      return percent > 0
        ? strings.fill('photoWaitingAt', { percent: strings.percent(percent) })
        : strings.photoWaiting;
  }
}

function failedText(strings: Translations, failure: ErrorCode | null): string {
  if (failure === null) {
    return strings.photoFailed;
  }
  if (failure === 'CW-609') {
    return strings.photoNoPicture;
  }
  if (failure === 'CW-610') {
    return strings.photoOtherKind;
  }
  if (failure === 'CW-611') {
    return strings.photoKnown;
  }
  return strings.fill('photoFailedWith', { code: failure });
}
