import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { CwError } from '../../util/errors.js';
import { isStorageTakenOver } from '../../util/storage-ownership.js';
import { PROJECT_SCOPE } from '../../account/service-access.js';
import { connectionStatus } from './connection-status.js';
import { Button, Buttons, FileName, WorkLine } from '../../ui/controls.js';
import { AllowNotice } from '../sign-in/index.js';
import type { Props, State } from './panel.js';
import { ErrorNotice, Notice } from '../../ui/notice.js';

/** Shows storage errors of this computer. */
export function StorageNotice({ context, state }: Props): VNode | null {
  const { strings, uploads, on } = context;
  const error = storageTroubleOf(state);
  const { storageError, isUnread } = state.uploadState;
  return error === null || isStorageTakenOver(error) ? null : (
    <ErrorNotice
      {...{ strings, error }}
      title={strings.storageTitle}
      more={isUnread ? [strings.unreadText] : []}
    >
      {storageError && (
        <Buttons>
          <Button
            on={on}
            kind="action"
            label={strings.tryAgain}
            press={() => uploads.retryStorage()}
          />
        </Buttons>
      )}
    </ErrorNotice>
  );
}

/** After a press of Try now the panel shows a try for at least this long, however fast it fails. Milliseconds. */
const SEEN_MS = 1_500;
/** How long the panel reports the failed attempt after the press. Milliseconds. */
const SAID_MS = 12_000;

/** Shows why nothing can be sent now and the time of the next attempt, with a button that retries at once. */
export function ConnectionNotice({ context, state }: Props): VNode | null {
  const { strings, uploads, clock, on, change } = context;
  /** When the user last chose Try now during this error. */
  const triedAt = useRef<number | null>(null);
  const wait = state.queue.kind === 'waiting' ? state.queue : state.uploadState.space;
  const status = connectionStatus(state);
  const isFull = status === 'full';
  if (wait.kind === 'closed' || !(isFull || status === 'offline' || status === 'trouble')) {
    triedAt.current = null;
    return null;
  }
  const now = clock.now();
  const since = triedAt.current === null ? Infinity : now - triedAt.current;
  const isTrying = wait.trying === true || (since >= 0 && since < SEEN_MS);
  const isAnswered = since >= 0 && since < SAID_MS;
  const attempt = isAnswered ? [strings.triedInVain] : isFull ? [] : [strings.keepsTrying];
  return (
    // No title: the header shows it.
    <ErrorNotice
      strings={strings}
      mark="warning"
      error={wait.error}
      more={
        isTrying ? [strings.tryingAgainNow] : [...attempt, strings.tryingAgainIn(wait.until - now)]
      }
    >
      <Buttons>
        <Button
          on={on}
          kind="action"
          label={strings.tryNow}
          press={() => {
            triedAt.current = clock.now();
            uploads.resume();
            change({});
          }}
        />
      </Buttons>
    </ErrorNotice>
  );
}

/** Photos wait because the connection may not upload to projects yet. */
export function PermissionNotice({ context, state }: Props): VNode | null {
  const { waitingForPermission } = state.uploadState;
  return waitingForPermission === 0 ? null : (
    <AllowNotice
      context={context}
      words={context.strings.projectsPermission}
      scope={PROJECT_SCOPE}
    />
  );
}

/** Shows why the open document was not uploaded. */
export function DocumentNotice({
  context: { strings, uploads, on },
  state,
  title,
}: Props & { readonly title: string }): VNode | null {
  const error = state.uploadState.documentError;
  const name = error?.busyWith ?? null;
  return error === null ? null : (
    <ErrorNotice
      {...{ strings, error, title }}
      more={name === null ? [] : [strings.fill('busyWith', { name })]}
    >
      <Buttons>
        <Button
          on={on}
          kind="action"
          label={strings.dismiss}
          press={() => uploads.importer.dismissRejected()}
        />
      </Buttons>
    </ErrorNotice>
  );
}

/** Shows how many of the picked photos have been made safe, with a button that stops this. */
export function AddingLine({ context, state }: Props): VNode | null {
  const { strings, uploads, on } = context;
  const { adding } = state.uploadState;
  // The copies of several documents have a separate line.
  const isShown = adding !== null && (adding.total > 1 || state.batch.total === 0);
  return !isShown ? null : (
    <WorkLine
      on={on}
      words={strings.fill('adding', {
        done: strings.number(Math.min(adding.done + 1, adding.total)),
        total: strings.number(adding.total),
      })}
      label={strings.cancel}
      press={() => uploads.importer.cancel()}
    />
  );
}

/** How many names a notice shows; the list has all. */
const MAX_NAMES = 5;

/** Shows which picked photos became versions of earlier ones, until the user accepts or undoes it. */
export function VersionsNotice({ context, state }: Props): VNode | null {
  const { strings, uploads, on } = context;
  const { versions } = state.uploadState;
  const sentence = ({ number, of }: (typeof versions)[number]): string =>
    strings.fill('versionOf', { number: strings.number(number), name: of });
  const [first, ...others] = versions;
  return first === undefined ? null : (
    <div class="notice neutral">
      {others.length === 0 ? (
        <FileName name={sentence(first)} class="notice-text" />
      ) : (
        <div class="notice-text">{strings.count('newVersions', versions.length)}</div>
      )}
      {others.length > 0 && <Names names={versions.map(sentence)} />}
      <Buttons>
        <Button
          on={on}
          kind="action"
          label={strings.undo}
          press={() => uploads.versions.undo(versions.map(({ uploadId }) => uploadId))}
        />
        <Button
          on={on}
          kind="action"
          label={strings.dismiss}
          press={() => {
            uploads.versions.dismiss();
          }}
        />
      </Buttons>
    </div>
  );
}

/** Lists picked photos that an earlier run could not add, because it ended before they were copied. */
export function NotAddedNotice({ context, state }: Props): VNode | null {
  const { strings, uploads, on } = context;
  const { notAdded } = state.uploadState;
  return notAdded.length === 0 ? null : (
    <Notice mark="warning" title={strings.count('notAdded', notAdded.length)}>
      <Names names={notAdded} />
      <Buttons>
        <Button
          on={on}
          kind="action"
          label={strings.dismiss}
          press={() => uploads.dismissNotAdded()}
        />
      </Buttons>
    </Notice>
  );
}

function Names({ names }: { readonly names: readonly string[] }): VNode {
  return (
    <div class="reason">
      {names.slice(0, MAX_NAMES).map((name, index) => (
        <FileName key={index} name={name} class="reason-name" />
      ))}
      {names.length > MAX_NAMES && <div class="reason-name">…</div>}
    </div>
  );
}

/** Confirms a removal for some seconds, with a button that undoes it. */
export function UndoLine({ context, state }: Props): VNode | null {
  const { strings, uploads, on } = context;
  return state.removal === null ? null : (
    <div class="undo">
      <div class="undo-text">{strings.count('removedCount', state.removal.photos)}</div>
      <Button
        on={on}
        kind="action"
        focusOrder={1}
        label={strings.undo}
        press={() => uploads.undoRemoval()}
      />
    </div>
  );
}

/** The error of storage on this computer: of the list, else of the session; null when there is none. */
export function storageTroubleOf({ session, uploadState }: State): CwError | null {
  const sessionTrouble = session.kind === 'signed-in' ? session.trouble : null;
  return uploadState.storageError ?? sessionTrouble;
}
