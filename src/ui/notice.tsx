import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { CwError, ErrorCode } from '../util/errors.js';
import type { Translations } from './i18n/translations.js';

/** How good or bad something is. Shown by shape and colour together, because not everybody sees each of them. */
export type StatusMark = 'success' | 'error' | 'warning' | 'paused';

/** Plain characters, because a host may not have emoji. */
const CHARACTERS: Readonly<Record<StatusMark, string>> = {
  success: '✓',
  error: '!',
  warning: '×',
  paused: 'II',
};

/** A small sign before words; the style sheet draws its shape and colour. */
export function StatusSign({ mark }: { readonly mark: StatusMark }): VNode {
  return <div class={`sign ${mark}`}>{CHARACTERS[mark]}</div>;
}

export interface NoticeProps {
  /** When it is left out, the notice has no sign. */
  readonly mark?: StatusMark;
  /** Omitted if another element shows it. */
  readonly title?: string;
  /** Whole sentences, each complete in itself. */
  readonly sentences?: readonly string[];
  readonly code?: ErrorCode | null;
  readonly children?: ComponentChildren;
}

/** A framed notice: a title with its sign, sentences, the code of an error, and buttons. */
export function Notice({ mark, title, sentences = [], code, children }: NoticeProps): VNode {
  return (
    <div class={mark === undefined ? 'notice' : `notice ${mark}`}>
      <NoticeText {...{ mark, title, sentences, code }} />
      {children}
    </div>
  );
}

function NoticeText({
  mark,
  title,
  sentences,
  code,
}: {
  readonly mark: StatusMark | undefined;
  readonly title: string | undefined;
  readonly sentences: readonly string[];
  readonly code: ErrorCode | null | undefined;
}): VNode {
  return (
    <>
      {title !== undefined && (
        <div class="notice-head">
          {mark !== undefined && <StatusSign mark={mark} />}
          <div class="notice-title">{title}</div>
        </div>
      )}
      {sentences.length > 0 && <div class="notice-text">{joined(sentences)}</div>}
      {code !== undefined && code !== null && <div class="error-code">{code}</div>}
    </>
  );
}

/** The sentences as one text. In Japanese there is no space between them. */
function joined(sentences: readonly string[]): string {
  return sentences.join(' ').replace(/。 /g, '。');
}

/** A notice about an error, with its sentence first and its code for support. */
export function ErrorNotice({
  strings,
  error,
  more = [],
  mark = 'error',
  ...notice
}: Omit<NoticeProps, 'code' | 'sentences'> & {
  readonly strings: Translations;
  readonly error: CwError | ErrorCode;
  readonly more?: readonly string[];
}): VNode {
  const code = typeof error === 'string' ? error : error.code;
  return <Notice {...notice} mark={mark} code={code} sentences={[strings.errors[code], ...more]} />;
}

/** A notice that waits for a decision. It takes the focus when it appears, so that users notice it. */
export function Question({ children, ...notice }: NoticeProps): VNode {
  const root = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    root.current?.focus();
  }, []);
  return (
    <div
      class="notice question"
      tabindex={-1}
      ref={(element: unknown) => {
        root.current = element as HTMLElement | null;
      }}
    >
      <NoticeText
        mark={notice.mark}
        title={notice.title}
        sentences={notice.sentences ?? []}
        code={notice.code}
      />
      {children}
    </div>
  );
}
