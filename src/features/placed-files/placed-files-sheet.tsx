import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { lacksScope, WORKSPACE_SCOPE } from '../../account/service-access.js';
import { Button, SheetHead } from '../../ui/controls.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { shortTime } from '../../ui/local-time.js';
import { AllowInBrowser } from '../sign-in/index.js';
import type { FileUpdate } from './placed-row.js';
import { LongList } from './long-list.js';
import { OtherFiles } from './other-files.js';
import { PlacedEntry } from './placed-entry.js';
import type { Props } from './panel.js';
import { Confirmation, UpdateSection } from './update-section.js';

/** The files of the workspace that are placed in the open document. It takes the place of the list. */
export function PlacedFilesSheet({ context, state }: Props): VNode {
  const { strings, actions, change, on } = context;
  const { rows } = state.placedStatus;
  const [wanted, setWanted] = useState<readonly FileUpdate[] | null>(null);
  if (wanted) {
    return (
      <Confirmation
        {...{ context, state, wanted }}
        close={() => {
          setWanted(null);
        }}
      />
    );
  }
  return (
    <div class="sheet scroll">
      <SheetHead
        on={on}
        title={strings.placedFiles}
        label={strings.done}
        press={() => {
          change({ sheet: null });
        }}
      />
      <Permission {...{ context, state }} />
      <div class="placed-check">
        <div class="detail">{checkText(strings, state)}</div>
        <Button
          on={on}
          kind="action"
          label={strings.checkNow}
          press={() => {
            actions.checkPlaced();
          }}
        />
      </div>
      <UpdateSection {...{ context, state }} confirm={setWanted} />
      {rows.length === 0 && <div class="empty">{strings.noPlaced}</div>}
      <LongList
        context={context}
        items={rows}
        draw={(row) => <PlacedEntry key={row.key} {...{ context, state, row }} />}
      />
      <OtherFiles {...{ context, state }} />
    </div>
  );
}

/** Offers the permission that shows the files of others. */
function Permission({ context, state }: Props): VNode | null {
  const { rows, needsPermission } = state.placedStatus;
  const isHidden =
    rows.some(({ status }) => status.kind === 'unknown') &&
    lacksScope(state.account, WORKSPACE_SCOPE);
  if (!needsPermission && !isHidden) {
    return null;
  }
  return (
    <AllowInBrowser
      context={context}
      words={context.strings.placedPermission}
      scope={WORKSPACE_SCOPE}
      kind="secondary"
    />
  );
}

/** When the service was asked last, and whether that is out of date. */
function checkText(
  strings: Translations,
  { placedStatus: { isChecking, isAway, checkedAt, error }, now }: Props['state'],
): string {
  if (isChecking) {
    return strings.checkingPlaced;
  }
  const time =
    checkedAt === null
      ? null
      : strings.fill('checkedAt', { time: shortTime(strings, checkedAt, now) });
  return [
    ...(time === null ? [] : [time]),
    ...(isAway ? [strings.serviceAway] : []),
    ...(error ? [strings.errors[error.code]] : []),
  ].join(' · ');
}
