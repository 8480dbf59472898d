import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { ErrorCode } from '../../../util/errors.js';
import type { UploadedPhoto } from '../../../features/history/upload-history.js';
import { hasBegun, retryCanHelp } from '../../../features/queue/photo-record.js';
import type { UploadItem } from '../../../features/queue/upload-item.js';
import type { TextKey } from '../../../ui/i18n/catalog.js';
import type { Translations } from '../../../ui/i18n/translations.js';
import type { IconName } from '../../../ui/icons.js';
import { shortTime } from '../../../ui/local-time.js';
import { openMenu, type MenuEntry } from '../../menu-layer.js';
import {
  Control,
  FileName,
  VisuallyHidden,
  Icon,
  IconButton,
  ProgressBar,
} from '../../../ui/controls.js';
import type { PanelState, ViewContext } from '../../view.js';
import { openDestinations } from './destination.js';
import { Picture } from './picture.js';
import { sendLabel } from './problems.js';
import { receiptEntry } from './receipt-entry.js';
import { canShare } from './share-target.js';

/** Height of a row in CSS pixels, as the style sheet sets it. */
export const ROW_PX = 44;

interface RowProps {
  readonly picture: string | null;
  readonly name: string;
  readonly detail: string;
  /** The photo's state: a word, with its icon. */
  readonly state: {
    readonly word: string;
    readonly kind: UploadItem['phase'];
    readonly icon: IconName | null;
    /** Shown in place of a sign. */
    readonly shown?: string;
  };
  /** Percent of the photo that was sent; null where no bar is shown. */
  readonly percent?: number | null;
  readonly context: ViewContext;
  readonly entries: (anchor: HTMLElement) => readonly MenuEntry[];
  /** Its id at the service; null for a photo that no link can show. */
  readonly uploadId: string | null;
}

/** One photo: its picture, name, state and menu. While photos are chosen for a link, a press chooses it. */
function Row({ context, entries, uploadId, ...shown }: RowProps): VNode {
  const { strings, ui, change, on } = context;
  const { selection } = ui;
  if (selection && uploadId !== null) {
    const isChosen = selection.includes(uploadId);
    const others = selection.filter((id) => id !== uploadId);
    return (
      <Control
        class={isChosen ? 'photo selectable chosen' : 'photo selectable'}
        on={on}
        press={() => {
          change({ selection: isChosen ? others : [...others, uploadId].slice(-MAX_SELECTED) });
        }}
      >
        <RowContent {...shown} />
        <div class="check">
          {isChosen && <Icon name="done" />}
          {isChosen && <VisuallyHidden text={strings.selected} />}
        </div>
      </Control>
    );
  }
  return (
    <div class="photo">
      <RowContent {...shown} />
      {!selection && <OptionsButton {...{ context, entries }} />}
    </div>
  );
}

/** Opens the menu of a photo. Each drawing of the panel draws all rows, so what has not changed is kept. */
function OptionsButton({ context, entries }: Pick<RowProps, 'context' | 'entries'>): VNode {
  const { strings } = context;
  const newest = useRef({ context, entries });
  newest.current = { context, entries };
  return useMemo(
    () => (
      <IconButton
        on={context.on}
        icon="more"
        label={strings.options}
        openMenu={(anchor) => {
          openMenu(newest.current.context, anchor, newest.current.entries(anchor));
        }}
      />
    ),
    [strings],
  );
}

/** A link shows at most so many photos. */
const MAX_SELECTED = 1000;

function RowContent({
  picture,
  name,
  detail,
  state: { word, kind, icon, shown },
  percent = null,
}: Omit<RowProps, 'context' | 'entries' | 'uploadId'>): VNode {
  return useMemo(
    () => (
      <>
        <Picture source={picture} class="photo-picture" />
        <div class="photo-text">
          <FileName name={name} class="photo-name" />
          <div class={`photo-detail ${kind}`}>{detail}</div>
        </div>
        <div class={`photo-state ${kind}`}>
          {shown !== undefined && <div class="photo-percent">{shown}</div>}
          {icon !== null && <Icon name={icon} />}
          {word !== detail && <VisuallyHidden text={word} />}
        </div>
        {percent !== null && <ProgressBar percent={percent} class="own" />}
      </>
    ),
    [picture, name, detail, word, kind, icon, shown, percent],
  );
}

/** @param isSending  whether anything can be sent at the moment */
export function PhotoRow({
  context,
  state,
  item,
  isSending,
}: {
  readonly context: ViewContext;
  readonly state: PanelState;
  readonly item: UploadItem;
  readonly isSending: boolean;
}): VNode {
  const { strings, pictures } = context;
  const { record, phase, sentBytes } = item;
  // Never 100 % during the upload: only the service's answer confirms the last byte.
  const percent = Math.min(99, Math.floor((100 * sentBytes) / Math.max(1, record.size)));
  const isMoving = phase === 'uploading' && isSending;
  // Nothing is wrong with a photo that is there already.
  const isKnown = record.failure === 'CW-611';
  const size = strings.size(record.size);
  const word = stateWord(strings, item, isMoving, percent);
  const uploaded = phase === 'uploaded' ? state.uploadedById.get(record.id) : undefined;
  return (
    <Row
      picture={pictures?.thumbnailOf(record.id) ?? null}
      name={record.name}
      detail={
        phase === 'failed'
          ? word
          : isMoving
            ? strings.fill('bytesSent', {
                sent: withoutUnit(strings.size(sentBytes), size),
                total: size,
              })
            : (versionText(strings, uploaded) ?? size)
      }
      state={{
        word,
        kind: isKnown || (phase === 'uploading' && !isMoving) ? 'waiting' : phase,
        icon: isMoving ? null : ICONS[isKnown ? 'uploaded' : phase],
        ...(isMoving ? { shown: strings.percent(percent) } : {}),
      }}
      percent={phase === 'uploading' ? percent : null}
      context={context}
      entries={(anchor) => entriesOf(context, state, item, anchor)}
      uploadId={uploaded?.uploadId ?? null}
    />
  );
}

const ICONS: Readonly<Record<UploadItem['phase'], IconName>> = {
  waiting: 'waiting',
  uploading: 'waiting',
  uploaded: 'done',
  failed: 'failed',
};

/** Which version of a photo it became; null for a new photo. */
function versionText(strings: Translations, photo: UploadedPhoto | undefined): string | null {
  return photo?.version === undefined
    ? null
    : strings.fill('versionOf', {
        number: strings.number(photo.version.number),
        name: photo.version.of,
      });
}

/** A size without its unit, if another one has the same: `5.9 of 8.4 MB`. */
function withoutUnit(size: string, other: string): string {
  const [number = '', unit] = size.split('\u00a0');
  return other.split('\u00a0')[1] === unit ? number : size;
}

/** The row of a photo that was uploaded earlier and is no longer on the list. */
export function EarlierRow({
  context,
  state,
  photo,
}: {
  readonly context: ViewContext;
  readonly state: PanelState;
  readonly photo: UploadedPhoto;
}): VNode {
  const { strings } = context;
  const place = photo.workspace === null ? [] : [photo.workspace];
  return (
    <Row
      picture={null}
      name={photo.name}
      detail={[shortTime(strings, photo.at, state.now), ...place].join(' · ')}
      state={{ word: strings.photoUploaded, kind: 'uploaded', icon: 'done' }}
      context={context}
      entries={() => uploadedEntries(context, state, photo)}
      uploadId={photo.uploadId}
    />
  );
}

function entriesOf(
  context: ViewContext,
  state: PanelState,
  { phase, record }: UploadItem,
  anchor: HTMLElement,
): readonly MenuEntry[] {
  const { strings, uploads } = context;
  const { id, failure } = record;
  if (phase === 'uploaded') {
    return uploadedEntries(context, state, state.uploadedById.get(id));
  }
  const entries: MenuEntry[] = [];
  if (phase === 'failed' && retryCanHelp(failure)) {
    entries.push({ label: sendLabel(strings, failure), press: () => uploads.retry(id) });
  }
  if (phase === 'waiting') {
    entries.push({ label: strings.sendNext, press: () => uploads.makeNext(id) });
  }
  const isFixed = phase === 'uploading' || hasBegun(record);
  if (!isFixed && state.destinations.availability === 'ready') {
    entries.push({
      label: strings.changeDestination,
      press: () => {
        openDestinations(context, anchor, record.project, { for: 'photo', id });
      },
    });
  }
  entries.push({ label: strings.remove, press: () => uploads.remove(id) });
  return entries;
}

/** The menu entries of a photo that the service shows in a browser. */
function uploadedEntries(
  context: ViewContext,
  state: PanelState,
  photo: UploadedPhoto | undefined,
): readonly MenuEntry[] {
  const { strings, actions, host, change, uploads } = context;
  const address = photo?.pageUrl ?? null;
  if (!photo || address === null) {
    return [{ label: strings.photosInBrowser, press: () => actions.openPhotos() }];
  }
  const { uploadId } = photo;
  return [
    { label: strings.showPhoto, press: () => actions.openPage(address) },
    {
      label: strings.copyLink,
      press: async () => {
        await host.copyText(address);
        change({ outcome: { title: strings.copied, error: null } });
      },
    },
    ...(photo.version && uploadId !== null
      ? [{ label: strings.makeSeparate, press: () => uploads.undoVersions([uploadId]) }]
      : []),
    ...(state.offersReceipts && uploadId !== null
      ? [receiptEntry(context, { target: { uploads: [uploadId] }, name: photo.name })]
      : []),
    ...(canShare(state) && uploadId !== null
      ? [
          {
            label: strings.share,
            press: () => {
              change({ sharing: { target: { uploads: [uploadId] }, name: photo.name } });
            },
          },
        ]
      : []),
  ];
}

function stateWord(
  strings: Translations,
  { phase, record }: UploadItem,
  isMoving: boolean,
  percent: number,
): string {
  switch (phase) {
    case 'uploaded':
      return strings.photoUploaded;
    case 'failed':
      return failedWord(strings, record.failure);
    case 'uploading':
    case 'waiting':
      if (isMoving) {
        return strings.photoUploading;
      }
      // An interrupted photo still shows how much of it was sent.
      return percent > 0
        ? strings.fill('photoWaitingAt', { percent: strings.percent(percent) })
        : strings.photoWaiting;
  }
}

/** Failures that have a word in place of their code. */
const FAILURE_WORDS: Partial<Record<ErrorCode, TextKey>> = {
  'CW-609': 'photoNoPicture',
  'CW-610': 'photoOtherKind',
  'CW-611': 'photoKnown',
};

function failedWord(strings: Translations, failure: ErrorCode | null): string {
  if (failure === null) {
    return strings.photoFailed;
  }
  const word = FAILURE_WORDS[failure];
  return word === undefined ? strings.fill('photoFailedWith', { code: failure }) : strings[word];
}
