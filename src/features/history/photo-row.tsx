import type { VNode } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { canShare, openShareSheet } from '../links/index.js';
import { receiptEntry } from '../receipts/index.js';
import {
  Control,
  FileName,
  Icon,
  IconButton,
  ProgressBar,
  VisuallyHidden,
} from '../../ui/controls.js';
import { lengthText } from '../../ui/file-length.js';
import type { IconName } from '../../ui/icons.js';
import { shortTime } from '../../ui/local-time.js';
import { openMenu, type MenuEntry } from '../../ui/menu-layer.js';
import { kindOf, Picture } from '../../ui/picture.js';
import type { Context, State } from './panel.js';
import type { UploadedPhoto } from './upload-history.js';

/** Height of a row in CSS pixels, as the style sheet sets it. */
export const ROW_PX = 44;

interface RowProps {
  readonly picture: string | null;
  readonly name: string;
  readonly detail: string;
  /** The photo's state: a word, with its icon. */
  readonly state: {
    readonly word: string;
    readonly kind: 'waiting' | 'uploading' | 'uploaded' | 'failed';
    readonly icon: IconName | null;
    /** Shown in place of a sign. */
    readonly shown?: string;
  };
  /** Percent of the photo that was sent; null where no bar is shown. */
  readonly percent?: number | null;
  readonly context: Context;
  readonly entries: (anchor: HTMLElement) => readonly MenuEntry[];
  /** Its id at the service; null for a photo that no link can show. */
  readonly uploadId: string | null;
}

/** One photo: its picture, name, state and menu. While photos are chosen for a link, a press chooses it. */
export function Row({ context, entries, uploadId, ...shown }: RowProps): VNode {
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
        <Picture source={picture} class="photo-picture" kind={kindOf(name)} />
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

/** The row of a photo that was uploaded earlier and is no longer on the list. */
export function EarlierRow({
  context,
  state,
  photo,
}: {
  readonly context: Context;
  readonly state: State;
  readonly photo: UploadedPhoto;
}): VNode {
  const { strings } = context;
  const length = photo.length ? [lengthText(strings, photo.length)] : [];
  const place = photo.workspace === null ? [] : [photo.workspace];
  return (
    <Row
      picture={null}
      name={photo.name}
      detail={[...length, shortTime(strings, photo.at, state.now), ...place].join(' · ')}
      state={{ word: strings.photoUploaded, kind: 'uploaded', icon: 'done' }}
      context={context}
      entries={() => uploadedEntries(context, state, photo)}
      uploadId={photo.uploadId}
    />
  );
}

/** The menu entries of a photo that the service shows in a browser. */
export function uploadedEntries(
  context: Context,
  state: State,
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
      ? [{ label: strings.makeSeparate, press: () => uploads.versions.undo([uploadId]) }]
      : []),
    ...(state.offersReceipts && uploadId !== null
      ? [receiptEntry(context, { target: { uploads: [uploadId] }, name: photo.name })]
      : []),
    ...(canShare(state) && uploadId !== null
      ? [
          {
            label: strings.share,
            press: () => {
              openShareSheet(context, { target: { uploads: [uploadId] }, name: photo.name });
            },
          },
        ]
      : []),
  ];
}
