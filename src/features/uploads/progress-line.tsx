import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { connectionStatus } from './connection-status.js';
import { openMenu, type MenuEntry } from '../../ui/menu-layer.js';
import { Button, CopyButton, IconButton, ProgressBar } from '../../ui/controls.js';
import type { Context, Props, State } from './panel.js';
import { receiptEntry, receiptTargetOf } from '../receipts/index.js';
import {
  DEFAULT_DAYS,
  canShare,
  openShareSheet,
  selectedTarget,
  shareTargetOf,
} from '../links/index.js';

/** How far the photos are: their number and the time left, with Pause or Resume, and a thin bar. */
export function ProgressLine({ context, state }: Props): VNode | null {
  const { strings, uploads, on } = context;
  const { progress, summary, uploadState } = state;
  const { total } = progress;
  const isPending = summary.waiting + summary.uploading > 0;
  const { paused } = uploadState;
  if (total <= 0 && !paused && !isPending) {
    return null;
  }
  const entries = listEntries(context, state);
  const detail = detailText(context, state);
  // The bar is full only when the service has confirmed the last byte.
  const percent = Math.min(
    99,
    Math.floor((100 * progress.sentBytes) / Math.max(1, progress.totalBytes)),
  );
  return (
    <div class="progress-part">
      <div class="progress-line">
        <div class="progress-words">
          <div class="progress">{countsText(context, state)}</div>
          {isPending && detail !== null && <div class="progress-detail">{detail}</div>}
          {!isPending && !paused && <ShareBatch {...{ context, state }} />}
        </div>
        {paused ? (
          <IconButton
            on={on}
            icon="resume"
            focusOrder={2}
            label={strings.resume}
            press={() => uploads.resume()}
          />
        ) : (
          isPending &&
          !uploadState.question && (
            <IconButton on={on} icon="pause" label={strings.pause} press={() => uploads.pause()} />
          )
        )}
        {entries.length > 0 && (
          <IconButton
            on={on}
            icon="more"
            label={strings.listOptions}
            openMenu={(anchor) => {
              openMenu(context, anchor, entries);
            }}
          />
        )}
      </div>
      {isPending && <ProgressBar percent={percent} class="whole" />}
    </div>
  );
}

/** The link to the photos that have just been uploaded: made and copied by one press. */
function ShareBatch({ context, state }: Props): VNode | null {
  const { strings, actions, host, clock, on } = context;
  /** The link that was made; one batch needs no second one. */
  const made = useRef<{ readonly batch: unknown; readonly url: string } | null>(null);
  const sharing = shareTargetOf(state, state.uploadState.lastBatch);
  const batch = state.uploadState.lastBatch;
  if (sharing === null) {
    return null;
  }
  return state.sharing === 'ready' ? (
    <CopyButton
      {...{ on, clock }}
      kind="action"
      label={strings.copyLink}
      copied={strings.copied}
      copy={async () => {
        if (made.current?.batch !== batch) {
          const { url } = await actions.createShareLink(sharing.target, { days: DEFAULT_DAYS });
          made.current = { batch, url };
        }
        await host.copyText(made.current.url);
      }}
    />
  ) : (
    <Button
      on={on}
      kind="action"
      label={strings.share}
      press={() => {
        openShareSheet(context, sharing);
      }}
    />
  );
}

/** While photos are chosen for a link: how many there are, and what can be done. */
export function SelectionLine({
  context,
  state,
  selection,
}: Props & { readonly selection: readonly string[] }): VNode {
  const { strings, change, on } = context;
  const sharing = selectedTarget(state.uploadedById.values(), selection);
  const count = sharing && 'uploads' in sharing.target ? sharing.target.uploads.length : 0;
  return (
    <div class="progress-part">
      <div class="progress-line">
        <div class="progress-words">
          <div class="progress">{strings.count('selectedCount', count)}</div>
        </div>
        {sharing && (
          <Button
            on={on}
            kind="action"
            label={strings.share}
            press={() => {
              openShareSheet(context, sharing);
            }}
          />
        )}
        <Button
          on={on}
          kind="action"
          focusOrder={1}
          label={strings.cancel}
          press={() => {
            change({ selection: null });
          }}
        />
      </div>
    </div>
  );
}

function listEntries(context: Context, state: State): readonly MenuEntry[] {
  const { strings, uploads, change } = context;
  const { waiting, uploading, failed, uploaded } = state.summary;
  const sharing =
    waiting + uploading === 0 ? shareTargetOf(state, state.uploadState.lastBatch) : null;
  const receipt =
    waiting + uploading === 0 ? receiptTargetOf(state, state.uploadState.lastBatch) : null;
  return [
    ...(receipt ? [receiptEntry(context, receipt)] : []),
    ...(sharing
      ? [
          {
            label: strings.share,
            press: () => {
              openShareSheet(context, sharing);
            },
          },
        ]
      : []),
    ...(uploaded > 0 && canShare(state)
      ? [
          {
            label: strings.select,
            press: () => {
              change({ selection: [] });
            },
          },
        ]
      : []),
    ...(waiting + uploading + failed > 0
      ? [{ label: strings.removeAll, press: () => uploads.removeAll() }]
      : []),
    ...(uploaded > 0
      ? [{ label: strings.clearUploaded, press: () => uploads.clearUploaded() }]
      : []),
  ];
}

function countsText({ strings }: Context, { progress, uploadState }: State): string {
  const { uploaded, total } = progress;
  if (total > 0 && uploaded === total) {
    const project = uploadState.lastBatch?.project ?? null;
    return project === null
      ? strings.count('allUploaded', total)
      : strings.count('allUploadedTo', total, { project: project.name });
  }
  return total > 0
    ? strings.count('progress', total, { uploaded: strings.number(Math.max(0, uploaded)) })
    : strings.pausedTitle;
}

function detailText({ strings }: Context, state: State): string | null {
  const { progress } = state;
  const status = connectionStatus(state);
  if (status === 'paused') {
    return strings.pausedTitle;
  }
  // While nothing can be sent, an earlier measurement is outdated.
  if (progress.bytesPerSecond === null || status !== 'connected') {
    return null;
  }
  return progress.sendingAgain
    ? strings.sentAgain
    : strings.timeLeft(
        ((progress.totalBytes - progress.sentBytes) * 1000) / progress.bytesPerSecond,
      );
}
