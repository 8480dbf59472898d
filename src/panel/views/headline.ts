import { block, setAttribute, setText, textBlock } from '../dom.js';
import { sign, type Mark } from './sign.js';

export interface Headline {
  readonly root: HTMLElement;
  say(mark: Mark, text: string): void;
}

/** The one line that says the panel's state: a sign and a word, in a colour. */
export function headline(): Headline {
  const mark = sign();
  const text = textBlock('headline-text');
  const root = block('headline', [mark.root, text]);
  return {
    root,
    say(kind, words) {
      mark.show(kind);
      setAttribute(text, 'class', `headline-text ${kind}`);
      setText(text, words);
    },
  };
}
