import type { UploadItem } from '../../uploads/upload-list.js';
import { button, element, setAttribute, setShown, setText } from '../dom.js';
import type { ViewContext } from '../view.js';

export interface PhotoRow {
  readonly root: HTMLElement;
  update(item: UploadItem): void;
}

/** One photo: its name, how it stands, and what can be done about it. */
export function photoRow(context: ViewContext, id: string): PhotoRow {
  const { strings, intents } = context;
  const onFault = (fault: unknown): void => context.onFault(fault);
  const name = element('div', { class: 'photo-name' });
  const size = element('div', { class: 'photo-size' });
  const state = element('div', { class: 'photo-state' });
  const bar = element('sp-progressbar', { attributes: { max: '100', value: '0', size: 'small' } });
  const barBox = element('div', { class: 'bar' }, [bar]);
  const error = element('div', { class: 'error-text' });
  const retry = button(
    { label: strings.retry, variant: 'secondary', onClick: () => intents.retry(id) },
    onFault,
  );
  const remove = button(
    { label: strings.remove, variant: 'secondary', onClick: () => intents.remove(id) },
    onFault,
  );
  const actions = element('div', { class: 'photo-actions' }, [retry, remove]);
  const root = element('div', { class: 'photo' }, [
    element('div', { class: 'photo-line' }, [name, size]),
    state,
    barBox,
    error,
    actions,
  ]);

  return {
    root,
    update({ record, phase, sentBytes }) {
      // 100 % is said only when the service has confirmed the last byte.
      const percent = Math.min(99, Math.floor((100 * sentBytes) / Math.max(1, record.size)));
      setText(name, record.name);
      setText(size, strings.size(record.size));
      setText(
        state,
        {
          waiting: strings.photoWaiting,
          uploading: strings.photoUploading(percent),
          uploaded: strings.photoUploaded,
          failed: strings.photoFailed,
        }[phase],
      );
      setAttribute(state, 'class', `photo-state ${phase}`);
      setShown(barBox, phase === 'uploading');
      setAttribute(bar, 'value', String(percent));
      setShown(error, record.failure !== null);
      if (record.failure !== null)
        setText(error, `${strings.errors[record.failure]} (${record.failure})`);
      setShown(actions, phase === 'failed');
    },
  };
}
