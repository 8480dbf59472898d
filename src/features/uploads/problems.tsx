import type { VNode } from 'preact';
import { needsConfirmation, retryCanHelp } from '../queue/index.js';
import type { ErrorCode } from '../../util/errors.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { Button, Buttons, FileName } from '../../ui/controls.js';
import type { Props, State } from './panel.js';
import { Disclosure } from '../../ui/disclosure.js';

/** How many names are shown for one reason; the others are in the list. */
const MAX_NAMES = 5;

/** All files that failed for one reason. */
interface FailureGroup {
  readonly code: ErrorCode;
  readonly count: number;
  /** The first names. */
  readonly names: readonly string[];
}

/** One line about all files that were not added or not uploaded. It unfolds to the reasons. */
export function Problems({ context, state }: Props): VNode | null {
  const { strings, uploads, on } = context;
  const refused = groupByCode(
    state.uploadState.rejected.map(({ name, error }) => ({ code: error.code, name })),
  );
  const failed = groupByCode(failuresOf(state).filter(({ code }) => code !== 'CW-611'));
  const count = [...refused, ...failed].reduce((sum, group) => sum + group.count, 0);
  if (count === 0) {
    return null;
  }
  return (
    <Disclosure on={on} class="problems" label={strings.count('needLook', count)}>
      {() => (
        <>
          {failed.map((group) => (
            <Reason key={group.code} {...{ strings, group }}>
              {retryCanHelp(group.code) && (
                <Button
                  on={on}
                  kind="action"
                  label={sendLabel(strings, group.code)}
                  press={() => uploads.retryFailed(group.code)}
                />
              )}
              <Button
                on={on}
                kind="action"
                label={strings.remove}
                press={() => uploads.removeFailed(group.code)}
              />
            </Reason>
          ))}
          {refused.length > 0 && <div class="notice-title">{strings.refusedTitle}</div>}
          {refused.map((group) => (
            <Reason key={`refused ${group.code}`} {...{ strings, group }} />
          ))}
          {refused.length > 0 && (
            <Buttons>
              <Button
                on={on}
                kind="action"
                label={strings.dismiss}
                press={() => uploads.importer.dismissRejected()}
              />
            </Buttons>
          )}
        </>
      )}
    </Disclosure>
  );
}

export function Reason({
  strings,
  group: { code, count, names },
  children,
}: {
  readonly strings: Translations;
  readonly group: FailureGroup;
  readonly children?: VNode | readonly (VNode | false)[];
}): VNode {
  return (
    <div class="reason">
      {names.map((name, index) => (
        <FileName key={index} name={name} class="reason-name" />
      ))}
      {count > names.length && <div class="reason-name">…</div>}
      <div class="notice-text">{strings.errors[code]}</div>
      <div class="error-code">{code}</div>
      {children !== undefined && <Buttons>{children}</Buttons>}
    </div>
  );
}

/** The line about photos that the service has already. Nothing is wrong with them. */
export function Duplicates({ context, state }: Props): VNode | null {
  const { strings, uploads, on } = context;
  const count = failuresOf(state).filter(({ code }) => code === 'CW-611').length;
  if (count === 0) {
    return null;
  }
  return (
    <div class="notice neutral">
      <div class="notice-text">{strings.count('knownCount', count)}</div>
      <Buttons>
        <Button
          on={on}
          kind="action"
          label={strings.skip}
          press={() => uploads.removeFailed('CW-611')}
        />
        <Button
          on={on}
          kind="action"
          label={strings.sendAgain}
          press={() => uploads.retryFailed('CW-611')}
        />
      </Buttons>
    </div>
  );
}

/** The label of the button that sends a photo which failed for this reason. */
export function sendLabel(strings: Translations, code: ErrorCode | null): string {
  if (code === 'CW-611') {
    return strings.sendAgain;
  }
  return needsConfirmation(code) ? strings.sendAnyway : strings.retry;
}

function failuresOf({
  summary,
  photos,
}: State): readonly { readonly code: ErrorCode; readonly name: string }[] {
  if (summary.failed === 0) {
    return [];
  }
  return photos
    .filter(({ phase }) => phase === 'failed')
    .map(({ record: { failure, name } }) => ({ code: failure ?? 'CW-901', name }));
}

/** Groups failures by their code, in the order of first occurrence. */
export function groupByCode(
  failures: readonly { readonly code: ErrorCode; readonly name: string }[],
): readonly FailureGroup[] {
  const groups = new Map<ErrorCode, { count: number; names: string[] }>();
  for (const { code, name } of failures) {
    const group = groups.get(code) ?? { count: 0, names: [] };
    groups.set(code, group);
    group.count += 1;
    if (group.names.length < MAX_NAMES) {
      group.names.push(name);
    }
  }
  return [...groups].map(([code, group]) => ({ code, ...group }));
}
