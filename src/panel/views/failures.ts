import type { ErrorCode } from '../../base/errors.js';
import { block, replaceChildren, setShown, textBlock } from '../dom.js';
import type { Strings } from '../strings/strings.js';
import { noticeHead } from './notice.js';

/** What failed for one reason. */
export interface FailureGroup {
  readonly code: ErrorCode;
  /** What it happened to, in words; may be nobody in particular. */
  readonly names: readonly string[];
}

/** Named at most; the rest is in the list. */
const MOST_NAMES = 5;

/** A framed list of reasons: for each the names, the sentence, the code. */
export function failureBox(
  strings: Strings,
  inside: readonly HTMLElement[],
): { readonly root: HTMLElement; show(title: string, groups: readonly FailureGroup[]): void } {
  const heading = noticeHead();
  const body = block('reasons');
  const root = block('notice bad', [heading.root, body, ...inside]);
  let key = '';
  setShown(root, false);
  return {
    root,
    show(title, groups) {
      setShown(root, groups.length > 0);
      const nextKey = JSON.stringify([title, groups]);
      if (nextKey === key) return;
      key = nextKey;
      heading.say('bad', title);
      replaceChildren(body, [
        ...groups.map(({ code, names }) =>
          block('reason', [
            ...names.slice(0, MOST_NAMES).map((name) => textBlock('reason-name', name)),
            ...(names.length > MOST_NAMES ? [textBlock('reason-name', '…')] : []),
            textBlock('notice-text', strings.errors[code]),
            textBlock('error-code', code),
          ]),
        ),
      ]);
    },
  };
}

/** Puts together what failed for the same reason, in the order in which the reasons came up. */
export function groupByCode(
  failures: readonly { readonly code: ErrorCode; readonly name?: string }[],
): readonly FailureGroup[] {
  const groups = new Map<ErrorCode, string[]>();
  for (const { code, name } of failures) {
    const names = groups.get(code) ?? [];
    groups.set(code, names);
    if (name !== undefined) names.push(name);
  }
  return [...groups].map(([code, names]) => ({ code, names }));
}
