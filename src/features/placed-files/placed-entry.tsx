import type { VNode } from 'preact';
import { Button, Buttons, FileName, Icon } from '../../ui/controls.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { kindOf, Picture } from '../../ui/picture.js';
import { useUploadPicture } from '../pictures/index.js';
import type { Context, Props } from './panel.js';
import { originalOf, updateOf, type FileUpdate, type PlacedRow } from './placed-row.js';

/** A placed file with its state, and what can be done about it. */
export function PlacedEntry({ context, state, row }: Props & { readonly row: PlacedRow }): VNode {
  const { strings, actions, on } = context;
  const { identity, status, placed, local } = row;
  const { canUpdate, progress } = state.placedUpdates;
  const next = 'current' in status && status.kind !== 'current' ? status.current : null;
  const offered = canUpdate && !progress;
  const update = offered ? updateOf(row) : null;
  const original = offered ? originalOf(row) : null;
  const button = (label: string, wanted: FileUpdate): VNode => (
    <Button on={on} kind="action" label={label} press={() => actions.updatePlaced([wanted])} />
  );
  return (
    <div class="placed-entry">
      <div class="placed-head">
        <Change {...{ context, row, next }} />
        <div class="placed-about">
          <FileName name={next?.name ?? row.name} class="placed-name" />
          <div class="detail">
            {[
              [placed?.version, next?.version]
                .flatMap((one) => (one ? [`v${one}`] : []))
                .join(' → '),
              ...(identity?.size === 'web' ? [strings.webSize] : []),
            ]
              .filter((part) => part !== '')
              .join(' · ')}
          </div>
          <div class={`placed-state ${status.kind}`}>{stateText(strings, row)}</div>
          {local !== 'present' && (
            <div class="placed-state local">
              {local === 'missing' ? strings.placedMissing : strings.placedChanged}
            </div>
          )}
        </div>
      </div>
      {(update ?? original) && (
        <Buttons>
          {update && button(strings.update, update)}
          {original && button(strings.useOriginal, original)}
        </Buttons>
      )}
    </div>
  );
}

/** The picture of what is placed, and that of what would be there instead. */
export function Change({
  context,
  row: { name, identity, status },
  next,
}: {
  readonly context: Context;
  readonly row: PlacedRow;
  readonly next: { readonly id: string; readonly name: string } | null;
}): VNode {
  const own = status.kind === 'foreign' ? null : (identity?.uploadId ?? null);
  const picture = useUploadPicture(context, own);
  const nextPicture = useUploadPicture(context, next?.id ?? null);
  return (
    <div class="placed-pictures">
      <Picture source={picture} class="placed-picture" kind={kindOf(name)} />
      {next && (
        <>
          <Icon name="right" />
          <Picture source={nextPicture} class="placed-picture" kind={kindOf(next.name)} />
        </>
      )}
    </div>
  );
}

function stateText(strings: Translations, { status: { kind } }: PlacedRow): string {
  const texts: Readonly<Record<PlacedRow['status']['kind'], string>> = {
    current: strings.placedCurrent,
    newer: strings.placedNewer,
    'newer-approved': strings.placedApproved,
    other: strings.placedOther,
    gone: strings.placedGone,
    unknown: strings.placedUnknown,
    foreign: strings.placedForeign,
    unchecked: strings.placedUnchecked,
  };
  return texts[kind];
}
