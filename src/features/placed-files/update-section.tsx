import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Buttons, FileName, ProgressBar, SheetHead, WorkLine } from '../../ui/controls.js';
import { Notice } from '../../ui/notice.js';
import { Tick } from '../../ui/tick.js';
import { PlacingLine } from '../placing/index.js';
import { groupByCode, Reason } from '../uploads/index.js';
import type { Props } from './panel.js';
import { LongList } from './long-list.js';
import { Change } from './placed-entry.js';
import { updatesOf, type FileUpdate } from './placed-row.js';

/** How far an update is, what came of the last one, or the button that updates all files. */
export function UpdateSection({
  context,
  state,
  confirm,
}: Props & { readonly confirm: (wanted: readonly FileUpdate[]) => void }): VNode {
  const { strings, on } = context;
  const { canUpdate, canUndo, progress } = state.placedUpdates;
  const { rows } = state.placedStatus;
  const [onlyApproved, setOnlyApproved] = useState(false);
  const hasUpdates = canUpdate && updatesOf(rows, false).length > 0;
  const wanted = updatesOf(rows, onlyApproved);
  return (
    <>
      {progress ? (
        <Progress {...{ context, state }} />
      ) : (
        state.placing.needsPermission && <PlacingLine {...{ context, state }} />
      )}
      <Result {...{ context, state }} />
      {hasUpdates && !progress && (
        <>
          {!canUndo && <div class="detail">{strings.updateNotUndoable}</div>}
          <Tick
            {...{ strings, on }}
            label={strings.onlyApproved}
            isTicked={onlyApproved}
            change={setOnlyApproved}
          />
          {wanted.length > 0 && (
            <Button
              on={on}
              kind="cta"
              wide
              label={strings.updateAll}
              press={() => {
                confirm(wanted);
              }}
            />
          )}
        </>
      )}
    </>
  );
}

function Progress({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const { progress } = state.placedUpdates;
  if (!progress) {
    return null;
  }
  const { done, total, isChanging } = progress;
  const { received = 0, total: bytes = 0 } = state.placing.current ?? {};
  const part = bytes > 0 ? received / bytes : 0;
  return (
    <div>
      <WorkLine
        on={on}
        words={
          isChanging
            ? strings.workingInDocument
            : strings.fill('downloadingFile', {
                done: strings.number(done + 1),
                total: strings.number(total),
              })
        }
        label={strings.cancel}
        press={isChanging ? null : () => actions.cancelPlacedUpdate()}
      />
      <ProgressBar
        percent={isChanging ? 99 : Math.min(99, Math.floor((100 * (done + part)) / total))}
        class="whole"
      />
    </div>
  );
}

function Result({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const { result } = state.placedUpdates;
  if (!result) {
    return null;
  }
  const { updated, failures } = result;
  const done = strings.count('updatedFiles', updated);
  return (
    <Notice
      mark={failures.length > 0 ? 'error' : 'success'}
      title={failures.length > 0 ? strings.count('notUpdatedFiles', failures.length) : done}
      sentences={failures.length > 0 && updated > 0 ? [done] : []}
    >
      {groupByCode(failures.map(({ name, error: { code } }) => ({ name, code }))).map((group) => (
        <Reason key={group.code} {...{ strings, group }} />
      ))}
      <Buttons>
        <Button
          on={on}
          kind="action"
          label={strings.dismiss}
          press={() => {
            actions.dismissPlacedUpdate();
          }}
        />
      </Buttons>
    </Notice>
  );
}

/** What will change, before all files are updated. */
export function Confirmation({
  context,
  state,
  wanted,
  close,
}: Props & { readonly wanted: readonly FileUpdate[]; readonly close: () => void }): VNode {
  const { strings, actions, on } = context;
  const { canUndo } = state.placedUpdates;
  const label = strings.count('updateFiles', wanted.length);
  return (
    <div class="sheet scroll">
      <SheetHead on={on} title={label} label={strings.cancel} press={close} />
      <div class="detail">{canUndo ? strings.updateText : strings.updateNotUndoable}</div>
      <Button
        on={on}
        kind="cta"
        wide
        label={label}
        press={() => {
          close();
          return actions.updatePlaced(wanted);
        }}
      />
      <LongList
        context={context}
        items={wanted}
        draw={({ key, version }) => {
          const row = state.placedStatus.rows.find((one) => one.key === key);
          return row ? (
            <div key={key} class="placed-entry placed-head">
              <Change {...{ context, row }} next={version} />
              <div class="placed-about">
                <FileName name={version.name} class="placed-name" />
                <div class="detail">
                  {/* A missing file may get the version that it had. */}
                  {[...new Set([row.placed?.version, version.version])]
                    .flatMap((one) => (one ? [`v${one}`] : []))
                    .join(' → ')}
                </div>
                {row.local === 'missing' && (
                  <div class="placed-state local">{strings.placedMissing}</div>
                )}
              </div>
            </div>
          ) : null;
        }}
      />
    </div>
  );
}
