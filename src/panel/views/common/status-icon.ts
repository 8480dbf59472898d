import { setAttribute, setShown, setText, textBox } from '../../dom.js';

/** How good or bad something is. Shown by shape, sign and colour together, because not everybody sees each of them. */
export type StatusMark = 'success' | 'error' | 'warning' | 'paused';

/** Plain characters, because a host may not have emoji. */
const CHARACTERS: Readonly<Record<StatusMark, string>> = {
  success: '✓',
  error: '!',
  warning: '×',
  paused: 'II',
};

export interface StatusIcon {
  readonly root: HTMLElement;
  /** Shows the sign for a mark; null hides it. */
  show(mark: StatusMark | null): void;
}

/** A small sign before words; the style sheet draws its shape and colour. Hidden at first. */
export function statusIcon(): StatusIcon {
  const root = textBox('sign');
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
