import { element, setAttribute, setText } from '../../dom.js';

/** A code with more characters is written smaller, so that it fits into one line of the narrowest panel. */
const LARGE_UP_TO = 10;

/** The code itself, the largest thing on the panel. */
export function codeDisplay(): { readonly root: HTMLElement; write(userCode: string): void } {
  const root = element('div', { class: 'user-code', attributes: { id: 'user-code' } });
  return {
    root,
    write(userCode) {
      setText(root, userCode);
      setAttribute(root, 'class', userCode.length > LARGE_UP_TO ? 'user-code long' : 'user-code');
    },
  };
}
