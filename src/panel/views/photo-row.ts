import type { ErrorCode } from '../../base/errors.js';
import type { UploadItem } from '../../uploads/upload-item.js';
import { isDoubt, retryCanHelp } from '../../uploads/photo-record.js';
import { block, buttonRow, element, setAttribute, setShown, setText, textBlock } from '../dom.js';
import type { Strings } from '../strings/strings.js';
import type { ViewContext } from '../view.js';
import { fileName } from './file-name.js';
import { sign } from './sign.js';

export interface PhotoRow {
  readonly root: HTMLElement;
  /**
   * @param isOpen  whether what can be done about the photo is unfolded
   * @param isSending  whether anything can be sent at the moment
   */
  update(item: UploadItem, isOpen: boolean, isSending: boolean): void;
}

/** Whether there is anything to be done about a photo. */
export function hasOptions({ phase }: UploadItem): boolean {
  return phase !== 'uploaded';
}

/** One photo: its name, how it stands, and what can be done about it. All rows of a kind are equally high. */
export function photoRow(
  context: ViewContext,
  { id, name }: UploadItem['record'],
  onToggle: () => void,
): PhotoRow {
  const { strings, intents, button } = context;
  const size = textBlock('photo-size');
  const mark = sign();
  const state = textBlock('photo-state');
  const bar = element('sp-progressbar', { attributes: { max: '100', value: '0', size: 'small' } });
  const barBox = block('photo-bar', [bar]);
  const toggle = button('quiet', strings.options, onToggle);
  const retry = button('action', strings.retry, () => intents.retry(id));
  const anyway = button('action', strings.sendAnyway, () => intents.retry(id));
  const next = button('action', strings.sendNext, () => intents.makeNext(id));
  const remove = button('action', strings.remove, () => intents.remove(id));
  const actions = buttonRow([retry, anyway, next, remove]);
  const root = block('photo', [
    block('photo-line', [fileName('photo-name', name), size]),
    block('photo-line photo-second', [block('photo-standing', [mark.root, state]), toggle.root]),
    barBox,
    actions,
  ]);

  /** What was sent before it was interrupted is not forgotten. */
  const waitingText = (percent: number): string =>
    percent > 0
      ? strings.fill('photoWaitingAt', { percent: strings.percent(percent) })
      : strings.photoWaiting;

  return {
    root,
    update(item, isOpen, isSending) {
      const { record, phase, sentBytes } = item;
      // 100 % is said only when the service has confirmed the last byte.
      const percent = Math.min(99, Math.floor((100 * sentBytes) / Math.max(1, record.size)));
      setText(size, strings.size(record.size));
      setText(
        state,
        {
          waiting: waitingText(percent),
          uploading: isSending
            ? strings.fill('photoUploading', { percent: strings.percent(percent) })
            : waitingText(percent),
          uploaded: strings.photoUploaded,
          failed: failedText(strings, record.failure),
        }[phase],
      );
      const isMoving = phase === 'uploading' && isSending;
      setAttribute(
        state,
        'class',
        `photo-state ${isMoving || phase !== 'uploading' ? phase : 'waiting'}`,
      );
      mark.show(phase === 'uploaded' ? 'good' : phase === 'failed' ? 'bad' : null);
      setShown(barBox, phase === 'uploading');
      setAttribute(bar, 'value', String(percent));
      setShown(toggle.root, hasOptions(item));
      toggle.setLabel(isOpen ? strings.close : strings.options);
      setShown(actions, isOpen);
      const isHeld = phase === 'failed' && isDoubt(record.failure);
      setShown(retry.root, phase === 'failed' && !isHeld && retryCanHelp(record.failure));
      setShown(anyway.root, isHeld);
      setShown(next.root, phase === 'waiting');
    },
  };
}

function failedText(strings: Strings, failure: ErrorCode | null): string {
  if (failure === null) {
    return strings.photoFailed;
  }
  if (failure === 'CW-609') {
    return strings.photoNoPicture;
  }
  if (failure === 'CW-610') {
    return strings.photoOtherKind;
  }
  return strings.fill('photoFailedWith', { code: failure });
}
