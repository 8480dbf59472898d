import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { lacksScope, WORKSPACE_SCOPE } from '../../account/service-access.js';
import { Button, FileName, Icon, SheetHead } from '../../ui/controls.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { shortTime } from '../../ui/local-time.js';
import { kindOf, Picture } from '../../ui/picture.js';
import { useUploadPicture } from '../pictures/index.js';
import type { Context, Props } from './panel.js';
import { isNewer, type PlacedRow } from './placed-row.js';

/** How many rows are drawn at first, and with each press. */
const ROWS = 50;

/** The files of the workspace that are placed in the open document. It takes the place of the list. */
export function PlacedFilesSheet({ context, state }: Props): VNode {
  const { strings, actions, change, on } = context;
  const { rows } = state.placedStatus;
  const [most, setMost] = useState(ROWS);
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
      {rows.length === 0 && <div class="empty">{strings.noPlaced}</div>}
      {rows.slice(0, most).map((row) => (
        <Row key={row.key} {...{ context, row }} />
      ))}
      {rows.length > most && (
        <Button
          on={on}
          kind="quiet"
          label={strings.showMore}
          press={() => {
            setMost(most + ROWS);
          }}
        />
      )}
    </div>
  );
}

/** Offers the permission that shows the files of others. */
function Permission({ context, state }: Props): VNode | null {
  const { strings, signIn, on } = context;
  const { rows, needsPermission } = state.placedStatus;
  const isHidden =
    rows.some(({ status }) => status.kind === 'unknown') &&
    lacksScope(state.account, WORKSPACE_SCOPE);
  if (!needsPermission && !isHidden) {
    return null;
  }
  return (
    <>
      <div class="text">{strings.placedPermission}</div>
      <Button
        on={on}
        kind="secondary"
        wide
        label={strings.openBrowser}
        press={() => {
          signIn.startForScope(WORKSPACE_SCOPE);
        }}
      />
    </>
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

function Row({ context, row }: { readonly context: Context; readonly row: PlacedRow }): VNode {
  const { strings } = context;
  const { name, identity, status, version } = row;
  const current = 'current' in status ? status.current : null;
  const next = isNewer(row) ? current : null;
  const isOurs = status.kind !== 'foreign';
  const picture = useUploadPicture(context, isOurs ? identity.uploadId : null);
  const nextPicture = useUploadPicture(context, next?.id ?? null);
  const versions = [version, next?.version ?? null]
    .filter((number) => number !== null)
    .map((number) => `v${number}`);
  return (
    <div class="placed-entry">
      <div class="placed-pictures">
        <Picture source={picture} class="placed-picture" kind={kindOf(name)} />
        {next && (
          <>
            <Icon name="right" />
            <Picture source={nextPicture} class="placed-picture" kind={kindOf(next.name)} />
          </>
        )}
      </div>
      <div class="placed-about">
        <FileName name={next?.name ?? name} class="placed-name" />
        <div class="detail">
          {[versions.join(' → '), ...(identity.size === 'web' ? [strings.webSize] : [])]
            .filter((part) => part !== '')
            .join(' · ')}
        </div>
        <div class={`placed-state ${status.kind}`}>{stateText(strings, row)}</div>
        {row.local !== 'present' && (
          <div class="placed-state local">
            {row.local === 'missing' ? strings.placedMissing : strings.placedChanged}
          </div>
        )}
      </div>
    </div>
  );
}

function stateText(strings: Translations, { status: { kind } }: PlacedRow): string {
  const texts: Readonly<Record<PlacedRow['status']['kind'], string>> = {
    current: strings.placedCurrent,
    newer: strings.placedNewer,
    'newer-approved': strings.placedApproved,
    gone: strings.placedGone,
    unknown: strings.placedUnknown,
    foreign: strings.placedForeign,
    unchecked: strings.placedUnchecked,
  };
  return texts[kind];
}
