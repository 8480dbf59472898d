import { element, setShown } from '../dom.js';

export interface SelectableText {
  readonly root: HTMLElement;
  isShown(): boolean;
  /** Shows a text with all of it selected, so that the keyboard's own command for copying takes it. */
  show(text: string): void;
  hide(): void;
}

/** What the host's pages tell of a field of several lines. */
type Field = HTMLElement &
  Pick<HTMLTextAreaElement, 'value' | 'readOnly' | 'selectionStart' | 'selectionEnd'>;

/**
 * A text that a person can select and copy by hand, not change. Out of sight until it is shown. The host lets nobody
 * select text but in a field.
 */
export function selectableText(): SelectableText {
  const field = element('textarea', { class: 'selectable' }) as unknown as Field;
  field.readOnly = true;
  let shown = false;
  const put = (text: string, isShown: boolean): void => {
    shown = isShown;
    field.value = text;
    setShown(field, isShown);
  };
  put('', false);
  return {
    root: field,
    isShown: () => shown,
    show(text) {
      put(text, true);
      field.focus();
      field.selectionStart = 0;
      field.selectionEnd = text.length;
      field.scrollTop = 0;
    },
    hide() {
      put('', false);
    },
  };
}
