import type { VNode } from 'preact';
import { Button, FileName, ProgressBar, WorkLine } from '../../ui/controls.js';
import { ErrorNotice } from '../../ui/notice.js';
import { LongList } from './long-list.js';
import type { Props } from './panel.js';

/** Files that were placed by other means: how many there are, and how they are recognised. */
export function OtherFiles({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const { others } = state.placedStatus;
  const { canRead, progress, unread, error } = state.linkedFiles;
  if (!canRead || others.length === 0) {
    return null;
  }
  const read = others.filter(({ isRead }) => isRead).length;
  const named = others.flatMap(({ key, name, local }) => {
    const reason = local === 'present' ? unread.get(key) : local;
    return reason ? [{ key, name, reason }] : [];
  });
  const isOutside = named.some(({ reason }) => reason === 'outside');
  const canFind = others.some(({ isRead, local }) => local === 'present' && !isRead);
  const reasons = {
    outside: strings.unreadOutside,
    'too-long': strings.unreadTooLong,
    missing: strings.placedMissing,
    changed: strings.placedChanged,
  };
  return (
    <div class="placed-others">
      <div class="sheet-title">{strings.count('otherFiles', others.length)}</div>
      {read > 0 && <div class="detail">{strings.count('notInWorkspace', read)}</div>}
      {error && !progress && <ErrorNotice {...{ strings, error }} mark="error" />}
      {progress ? (
        <Reading {...{ context, state }} />
      ) : (
        canFind && (
          <>
            <div class="detail">{strings.recogniseText}</div>
            <Button
              on={on}
              kind="secondary"
              wide
              label={isOutside ? strings.chooseFolder : strings.recogniseFiles}
              press={() => actions.recogniseLinked(isOutside)}
            />
          </>
        )
      )}
      <LongList
        context={context}
        items={named}
        draw={({ key, name, reason }) => (
          <div key={key} class="placed-entry">
            <FileName name={name} class="placed-name" />
            <div class="placed-state">{reasons[reason]}</div>
          </div>
        )}
      />
    </div>
  );
}

function Reading({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const { progress } = state.linkedFiles;
  if (!progress) {
    return null;
  }
  const { done, total } = progress;
  return (
    <div>
      <WorkLine
        on={on}
        words={strings.fill('readingFile', {
          done: strings.number(Math.min(total, done + 1)),
          total: strings.number(total),
        })}
        label={strings.cancel}
        press={() => {
          actions.cancelRecognising();
        }}
      />
      <ProgressBar percent={Math.floor((100 * done) / Math.max(1, total))} class="whole" />
    </div>
  );
}
