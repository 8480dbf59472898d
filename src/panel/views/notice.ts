import type { CwError, ErrorCode } from '../../base/errors.js';
import { block, setShown, setText, textBlock } from '../dom.js';
import type { Strings } from '../strings/strings.js';

export interface Notice {
  readonly root: HTMLElement;
  hide(): void;
  /** What is the matter, and sentences about it. */
  say(title: string, ...sentences: readonly string[]): void;
  /** The same about an error, with its code for support; null hides. */
  error(title: string, error: CwError | ErrorCode | null, ...more: readonly string[]): void;
}

/**
 * A framed notice: a title, sentences, and the code of an error. Hidden until it has something to say.
 * @param inside  stands below the words, such as buttons
 */
export function notice(strings: Strings, inside: readonly HTMLElement[] = []): Notice {
  const heading = textBlock('notice-title');
  const body = textBlock('notice-text');
  const code = textBlock('error-code');
  const root = block('notice', [heading, body, code, ...inside]);
  setShown(root, false);
  const show = (title: string, sentences: readonly string[], errorCode: ErrorCode | null): void => {
    setText(heading, title);
    // Whole sentences one after the other, each complete in itself; Japanese sets no space between them.
    setText(body, sentences.join(' ').replace(/。 /g, '。'));
    setShown(body, sentences.length > 0);
    setText(code, errorCode ?? '');
    setShown(code, errorCode !== null);
    setShown(root, true);
  };
  return {
    root,
    hide: () => {
      setShown(root, false);
    },
    say: (title, ...sentences) => {
      show(title, sentences, null);
    },
    error(title, error, ...more) {
      if (error === null) {
        setShown(root, false);
        return;
      }
      const errorCode = typeof error === 'string' ? error : error.code;
      show(title, [strings.errors[errorCode], ...more], errorCode);
    },
  };
}
