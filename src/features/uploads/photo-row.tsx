import type { VNode } from 'preact';
import { openDestinations } from '../destinations/index.js';
import { Row, type UploadedPhoto, uploadedEntries } from '../history/index.js';
import { type UploadItem, hasBegun, retryCanHelp } from '../queue/index.js';
import type { TextKey } from '../../ui/i18n/catalog.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { lengthText } from '../../ui/file-length.js';
import type { IconName } from '../../ui/icons.js';
import type { MenuEntry } from '../../ui/menu-layer.js';
import type { ErrorCode } from '../../util/errors.js';
import type { Context, State } from './panel.js';
import { sendLabel } from './problems.js';

/** @param isSending  whether anything can be sent at the moment */
export function PhotoRow({
  context,
  state,
  item,
  isSending,
}: {
  readonly context: Context;
  readonly state: State;
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
  const length = record.length ? [lengthText(strings, record.length)] : [];
  const word = stateWord(strings, item, isMoving, percent);
  const uploaded = phase === 'uploaded' ? state.uploadedById.get(record.id) : undefined;
  return (
    <Row
      picture={pictures.thumbnailOf(record.id)}
      name={record.name}
      detail={
        phase === 'failed'
          ? word
          : isMoving
            ? strings.fill('bytesSent', {
                sent: withoutUnit(strings.size(sentBytes), size),
                total: size,
              })
            : [...length, versionText(strings, uploaded) ?? size].join(' · ')
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

function entriesOf(
  context: Context,
  state: State,
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
