import type { CwError, ErrorCode } from '../../../util/errors.js';
import { box, setAttribute, setShown, setText, textBox } from '../../dom.js';
import type { Translations } from '../../i18n/translations.js';
import { statusIcon, type StatusMark } from './status-icon.js';

export interface Notice {
  readonly root: HTMLElement;
  hide(): void;
  /** Shows a title and sentences about it. The title is empty where the headline replaces it. */
  say(title: string, ...sentences: readonly string[]): void;
  /** The same for an error, with its sentence first and its code for support; null hides the notice. */
  error(title: string, error: CwError | ErrorCode | null, ...more: readonly string[]): void;
}

/**
 * A framed notice: a title with its sign, sentences, and the code of an error. Hidden until it has something to say.
 * @param inside  shown below the words, such as buttons
 * @param mark  how good or bad it is; when left out, errors are `bad` and words have no mark
 */
export function notice(
  strings: Translations,
  inside: readonly HTMLElement[] = [],
  mark?: StatusMark,
): Notice {
  const heading = noticeHead();
  const body = textBox('notice-text');
  const code = textBox('error-code');
  const root = box('notice', [heading.root, body, code, ...inside]);
  setShown(root, false);
  const show = (title: string, sentences: readonly string[], errorCode: ErrorCode | null): void => {
    const shownMark = mark ?? (errorCode === null ? null : 'error');
    setAttribute(root, 'class', shownMark === null ? 'notice' : `notice ${shownMark}`);
    heading.say(shownMark, title);
    // Whole sentences, each complete in itself. In Japanese there is no space between them.
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

/** The title of a notice, with the sign for its mark. Hidden when the title is empty. */
export function noticeHead(): {
  readonly root: HTMLElement;
  say(mark: StatusMark | null, title: string): void;
} {
  const shown = statusIcon();
  const text = textBox('notice-title');
  const root = box('notice-head', [shown.root, text]);
  return {
    root,
    say(mark, title) {
      shown.show(mark);
      setText(text, title);
      setShown(root, title !== '');
    },
  };
}
