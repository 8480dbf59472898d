import { setAttribute, setShown, setText, textBlock } from '../dom.js';

/** How good or bad something is, told by shape, sign and colour together: none of them alone reaches everybody. */
export type Mark = 'good' | 'bad' | 'warn' | 'still';

/** Plain characters: a host may have no colourful ones. */
const CHARACTERS: Readonly<Record<Mark, string>> = { good: '✓', bad: '!', warn: '×', still: 'II' };

export interface Sign {
  readonly root: HTMLElement;
  /** Null for nothing. */
  show(mark: Mark | null): void;
}

/** A small sign that stands before words; the style sheet draws its shape and colour. Nothing at first. */
export function sign(): Sign {
  const root = textBlock('sign');
  setShown(root, false);
  return {
    root,
    show(mark) {
      setShown(root, mark !== null);
      if (mark === null) {
        return;
      }
      setAttribute(root, 'class', `sign ${mark}`);
      setText(root, CHARACTERS[mark]);
    },
  };
}
