import type { UploadItem } from '../../uploads/upload-list.js';
import { block, buttonRow, element, setAttribute, setShown, setText, textBlock } from '../dom.js';
import type { ViewContext } from '../view.js';

export interface PhotoRow {
  readonly root: HTMLElement;
  /** @param isOpen  whether what can be done about the photo is unfolded */
  update(item: UploadItem, isOpen: boolean): void;
}

/** The end of a name that is always shown: file names often differ there only. */
const TAIL = 9;
/** Such a name is short enough to be shown whole in the narrowest panel. */
const SHORT = /^[ -~]{0,16}$/;

/** Whether there is anything to be done about a photo. */
export function hasOptions({ phase }: UploadItem): boolean {
  return phase !== 'uploaded';
}

/** One photo: its name, how it stands, and what can be done about it. All rows of a kind are equally high. */
export function photoRow(context: ViewContext, id: string, onToggle: () => void): PhotoRow {
  const { strings, intents, button } = context;
  const nameStart = textBlock('name-start');
  const nameEnd = textBlock('name-end');
  const size = textBlock('photo-size');
  const state = textBlock('photo-state');
  const bar = element('sp-progressbar', { attributes: { max: '100', value: '0', size: 'small' } });
  const barBox = block('photo-bar', [bar]);
  const toggle = button('quiet', strings.options, onToggle);
  const retry = button('action', strings.retry, () => intents.retry(id));
  const next = button('action', strings.sendNext, () => intents.makeNext(id));
  const remove = button('action', strings.remove, () => intents.remove(id));
  const actions = buttonRow([retry, next, remove]);
  const root = block('photo', [
    block('photo-line', [block('photo-name', [nameStart, nameEnd]), size]),
    block('photo-line photo-second', [state, toggle.root]),
    barBox,
    actions,
  ]);

  return {
    root,
    update(item, isOpen) {
      const { record, phase, sentBytes } = item;
      // 100 % is said only when the service has confirmed the last byte.
      const percent = Math.min(99, Math.floor((100 * sentBytes) / Math.max(1, record.size)));
      const split = SHORT.test(record.name) ? 0 : Math.max(0, record.name.length - TAIL);
      setText(nameStart, record.name.slice(0, split));
      setText(nameEnd, record.name.slice(split));
      setText(size, strings.size(record.size));
      setText(
        state,
        {
          waiting: strings.photoWaiting,
          uploading: strings.fill('photoUploading', { percent: strings.percent(percent) }),
          uploaded: strings.photoUploaded,
          failed:
            record.failure === null
              ? strings.photoFailed
              : strings.fill('photoFailedWith', { code: record.failure }),
        }[phase],
      );
      setAttribute(state, 'class', `photo-state ${phase}`);
      setShown(barBox, phase === 'uploading');
      setAttribute(bar, 'value', String(percent));
      setShown(toggle.root, hasOptions(item));
      toggle.setLabel(isOpen ? strings.close : strings.options);
      setShown(actions, isOpen);
      setShown(retry.root, phase === 'failed');
      setShown(next.root, phase === 'waiting');
    },
  };
}
