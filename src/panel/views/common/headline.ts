import { box, setAttribute, setText, textBox } from '../../dom.js';
import { statusIcon, type StatusMark } from './status-icon.js';

export interface Headline {
  readonly root: HTMLElement;
  say(mark: StatusMark, text: string): void;
}

/** The line with the panel's state: an icon and a text, in a colour. */
export function headline(): Headline {
  const mark = statusIcon();
  const text = textBox('headline-text');
  const root = box('headline', [mark.root, text]);
  return {
    root,
    say(kind, words) {
      mark.show(kind);
      setAttribute(text, 'class', `headline-text ${kind}`);
      setText(text, words);
    },
  };
}
