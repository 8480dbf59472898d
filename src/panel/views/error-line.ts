import type { CwError } from '../../base/errors.js';
import { element, setShown, setText } from '../dom.js';
import type { Strings } from '../strings/strings.js';

/** A sentence about an error, with its code for support. Hidden while there is none. */
export function errorLine(strings: Strings): {
  readonly root: HTMLElement;
  show(error: CwError | null, more?: string): void;
} {
  const sentence = element('div', { class: 'error-text' });
  const code = element('div', { class: 'error-code' });
  const root = element('div', { class: 'error' }, [sentence, code]);
  setShown(root, false);
  return {
    root,
    show(error, more) {
      setShown(root, error !== null);
      if (!error) return;
      const text = strings.errors[error.code];
      setText(sentence, more === undefined ? text : `${text} ${more}`);
      setText(code, error.code);
    },
  };
}
