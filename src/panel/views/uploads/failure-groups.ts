import type { ErrorCode } from '../../../util/errors.js';
import { box, replaceChildren, setShown, setText, textBox } from '../../dom.js';
import type { Translations } from '../../i18n/translations.js';
import { fileName } from '../common/file-name.js';
import { noticeHead } from '../common/notice.js';

/** All photos that failed for one reason. */
export interface FailureGroup {
  readonly code: ErrorCode;
  /** How many photos. */
  readonly count: number;
  /** Names of these photos; may be empty, and need not be all. */
  readonly names: readonly string[];
  /** Whether it is a single photo whose row, with its buttons, is right below. */
  readonly isRightBelow?: boolean;
}

/** The buttons for all photos that failed for one reason. */
export interface FailureActions {
  readonly root: HTMLElement;
  /** @param group  the photos that have failed for this reason now */
  update(group: FailureGroup): void;
}

/** How many names are shown; the others are in the list. */
const MOST_NAMES = 5;

/**
 * A framed list of reasons: for each the names, the sentence, the code.
 * @param inside  shown below all reasons
 * @param actionsFor  makes the buttons that are shown below a reason
 */
export function failureBox(
  strings: Translations,
  inside: readonly HTMLElement[],
  actionsFor?: (code: ErrorCode) => FailureActions,
): { readonly root: HTMLElement; show(title: string, groups: readonly FailureGroup[]): void } {
  const heading = noticeHead();
  const body = box('reasons');
  const root = box('notice bad', [heading.root, body, ...inside]);
  /** Each reason is made once, so that its buttons keep the focus while the number of its photos changes. */
  const reasons = new Map<ErrorCode, Reason>();
  let shown = '';
  setShown(root, false);

  return {
    root,
    show(title, groups) {
      setShown(root, groups.length > 0);
      heading.say('error', title);
      const drawn = groups.map((group) => {
        const reason =
          reasons.get(group.code) ?? reasonOf(strings, group.code, actionsFor?.(group.code));
        reasons.set(group.code, reason);
        reason.show(group);
        return reason.root;
      });
      const next = groups.map(({ code }) => code).join();
      if (next === shown) {
        return;
      }
      shown = next;
      replaceChildren(body, drawn);
    },
  };
}

/** One reason in the list. */
interface Reason {
  readonly root: HTMLElement;
  show(group: FailureGroup): void;
}

function reasonOf(
  strings: Translations,
  code: ErrorCode,
  actions: FailureActions | undefined,
): Reason {
  const names = box('reason-names');
  const text = textBox('notice-text');
  let named = '';
  return {
    root: box('reason', [
      names,
      text,
      textBox('error-code', code),
      ...(actions ? [actions.root] : []),
    ]),
    show(group) {
      setText(
        text,
        code === 'CW-611' ? strings.count('knownCount', group.count) : strings.errors[code],
      );
      actions?.update(group);
      const texts = group.names.slice(0, MOST_NAMES);
      if (group.names.length > MOST_NAMES) {
        texts.push('…');
      }
      const next = JSON.stringify(texts);
      if (next === named) {
        return;
      }
      named = next;
      replaceChildren(
        names,
        texts.map((text) => fileName('reason-name', text)),
      );
    },
  };
}

/** Groups failures by their code, in the order of first occurrence. Keeps only one name more than are shown. */
export function groupByCode(
  failures: readonly { readonly code: ErrorCode; readonly name?: string }[],
): readonly FailureGroup[] {
  const groups = new Map<ErrorCode, { count: number; names: string[] }>();
  for (const { code, name } of failures) {
    const group = groups.get(code) ?? { count: 0, names: [] };
    groups.set(code, group);
    group.count += 1;
    if (name !== undefined && group.names.length <= MOST_NAMES) {
      group.names.push(name);
    }
  }
  return [...groups].map(([code, group]) => ({ code, ...group }));
}
