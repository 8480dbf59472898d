import { setAttribute, setShown, setText, textBlock } from '../dom.js';

/** How good or bad something is. Shown by shape, sign and colour together, because not everybody sees each of them. */
export type Mark = 'good' | 'bad' | 'warn' | 'still';

/** Plain characters, because a host may not have emoji. */
const CHARACTERS: Readonly<Record<Mark, string>> = { good: '✓', bad: '!', warn: '×', still: 'II' };

export interface Sign {
  readonly root: HTMLElement;
  /** Shows the sign for a mark; null hides it. */
  show(mark: Mark | null): void;
}

/** A small sign before words; the style sheet draws its shape and colour. Hidden at first. */
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
