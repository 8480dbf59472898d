import { element, setShown } from '../../dom.js';

export interface SelectableText {
  readonly root: HTMLElement;
  isShown(): boolean;
  /** Shows a text and selects all of it, so that the keyboard's copy command takes it. */
  show(text: string): void;
  hide(): void;
}

/** The members of a text area that the host's pages describe. */
type Field = HTMLElement &
  Pick<HTMLTextAreaElement, 'value' | 'readOnly' | 'selectionStart' | 'selectionEnd'>;

/**
 * A text that users can select and copy by hand, but not change. Hidden at first. It is a field, because the host
 * allows selection only there.
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
