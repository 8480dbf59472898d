import type { VNode } from 'preact';
import { Button, Buttons, WorkLine } from '../../ui/controls.js';
import type { Props } from './panel.js';
import { Notice } from '../../ui/notice.js';
import { Reason, groupByCode } from '../uploads/index.js';

/** How far several documents are, with a button that stops after the present one. */
export function BatchLine({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const { done, total } = state.batch;
  return total === 0 ? null : (
    <WorkLine
      on={on}
      words={strings.fill('exporting', {
        done: strings.number(Math.min(done + 1, total)),
        total: strings.number(total),
      })}
      label={strings.cancel}
      press={() => actions.cancelDocuments()}
    />
  );
}

/** Which of several documents were not uploaded, and why. */
export function BatchFailures({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const { failures } = state.batch;
  return failures.length === 0 ? null : (
    <Notice mark="error" title={strings.count('notExportedCount', failures.length)}>
      {groupByCode(failures.map(({ name, error: { code } }) => ({ name, code }))).map((group) => (
        <Reason key={group.code} {...{ strings, group }} />
      ))}
      <Buttons>
        <Button
          on={on}
          kind="action"
          label={strings.dismiss}
          press={() => actions.dismissDocuments()}
        />
      </Buttons>
    </Notice>
  );
}
