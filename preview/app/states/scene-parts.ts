/** Parts that scenes are made of: accounts, codes, photos. */
import type { Account } from '../../../src/account/current-account.js';
import { CwError, type ErrorCode } from '../../../src/util/errors.js';
import type { CodeShown } from '../../../src/oauth/device-flow/sign-in.js';
import type { UploadedPhoto } from '../../../src/features/history/upload-history.js';
import type { UploadManagerState } from '../../../src/features/uploads/upload-manager.js';
import type { FileLength } from '../../../src/host/photo-source.js';
import type { UploadItem } from '../../../src/features/queue/upload-item.js';
import type { DestinationState } from '../../../src/features/destinations/destinations.js';
import { picture } from './drawn-landscape.js';
import type { PlacedRow } from '../../../src/features/placed-files/placed-row.js';
import { SIGNED_OUT, type Situation } from './scene.js';
import { NO_CONTEXT } from '../../../src/features/queue/photo-record.js';

/** Connected, with the demo account. */
export const SIGNED_IN: Partial<Situation> = {
  session: { kind: 'signed-in', trouble: null },
  account: account('Demo Photographer', 'Demo Studio'),
};

/** An account with this name, in a workspace with this name. */
export function account(name: string, workspace: string): Account {
  return { name, username: 'demo', workspace: { id: '0a1b2c', name: workspace }, scopes: null };
}

/** An error with this code. */
export function error(code: ErrorCode): CwError {
  return new CwError(code, 'shown in the preview');
}

/** A sign-in that shows a user_code, which is valid for another 14 minutes. `more` overrides parts of it. */
export function code(now: number, more: Partial<CodeShown> = {}): Partial<Situation> {
  return {
    signIn: {
      kind: 'code',
      userCode: 'WDJB-MJHT',
      verificationUri: 'https://workspace.example.com/oauth/device',
      addressToOpen: 'https://workspace.example.com/oauth/device?user_code=WDJB-MJHT',
      expiresAt: now + 14 * 60_000,
      browserError: null,
      trouble: null,
      check: 'later',
      numbers: null,
      ...more,
    },
  };
}

/** Connected, with these photos in the list. `uploader` overrides parts of the uploader's state. */
export function uploads(
  items: readonly UploadItem[],
  uploader: Partial<UploadManagerState> = {},
): Partial<Situation> {
  return { ...SIGNED_IN, items, uploader: { ...SIGNED_OUT.uploader, ...uploader } };
}

let count = 0;

/**
 * A photo in the list.
 * @param share how much of it has been sent, from 0 to 1
 * @param failure why it was not sent
 */
export function photo(
  name: string,
  megabytes: number,
  phase: UploadItem['phase'],
  share = phase === 'uploaded' ? 1 : 0,
  failure: ErrorCode | null = null,
): UploadItem {
  const size = Math.round(megabytes * 1e6);
  count += 1;
  return {
    record: {
      id: `photo-${name}-${count}`,
      name,
      type: 'image/jpeg',
      size,
      owner: null,
      position: count,
      priority: 0,
      queuedAt: 0,
      uploadUrl: null,
      failure,
      ...NO_CONTEXT,
      replaces: null,
    },
    phase,
    sentBytes: size * share,
    confirmedBytes: size * share,
  };
}

/** The photos of a wedding, some on their way. `share`: how much of the first of these has been sent, from 0 to 1. */
export function wedding(share: number): UploadItem[] {
  count = 0;
  return [
    photo('IMG_0412.jpg', 24.3, 'uploaded'),
    photo('IMG_0413.jpg', 22.8, 'uploaded'),
    photo('Brautpaar_am_See_im_letzten_Abendlicht_0414_final.jpg', 31.2, 'uploading', share),
    photo('IMG_0415.jpg', 25.6, 'uploading', share / 2),
    photo('夕焼けの湖.jpg', 18.4, 'uploading', share / 3),
    photo('IMG_0417.jpg', 24.9, 'waiting'),
    photo('IMG_0418.jpg', 23.1, 'waiting'),
  ];
}

/** A layout, a film and a photo. */
export function layoutAndFilm(): UploadItem[] {
  count = 0;
  const of = (item: UploadItem, type: string, length: FileLength): UploadItem => ({
    ...item,
    record: { ...item.record, type, length },
  });
  const [pdf, film] = [
    { kind: 'pages', pages: 24 },
    { kind: 'duration', seconds: 92 },
  ] as const;
  return [
    of(photo('Coast, cut 3.mp4', 184, 'waiting'), 'video/mp4', film),
    of(photo('Wedding book, spring.pdf', 84, 'uploaded'), 'application/pdf', pdf),
    photo('IMG_0412.jpg', 24.3, 'uploaded'),
  ];
}

/** Photos that arrived on a November day, newest first. */
export function delivered(total = 3): UploadedPhoto[] {
  const names = [
    'Brautpaar_am_See_im_letzten_Abendlicht_0414_final.jpg',
    '夕焼けの湖.jpg',
    'IMG_0413.jpg',
  ];
  return Array.from({ length: total }, (_, index) => ({
    id: `delivered-${index}`,
    name: names[index] ?? `IMG_${String(9999 - index).padStart(4, '0')}.jpg`,
    size: 24_300_000 - 1_234_567 * (index % 9),
    at: new Date(2026, 10, 22, 18, 5).getTime() - index * 60_000,
    workspace: index % 2 === 0 ? 'Demo Studio' : 'Fotografie am Oberlandesgericht, Außenstelle 2',
    owner: 'demo',
    hasMatchingCrc: index !== 1,
    sha256: index === 1 ? null : '0123456789abcdef'.repeat(4),
    pageUrl: index === 1 ? null : `https://workspace.example.com/photos/${index}`,
    uploadId: `upload-${index}`,
    ...NO_CONTEXT,
  }));
}

/** Ten thousand photos: some sent, three on their way, ten failed, the others waiting. */
export function tenThousand(): UploadItem[] {
  count = 0;
  const number = (index: number): string => String(index).padStart(5, '0');
  return Array.from({ length: 10_000 }, (_, index) => {
    const name = `IMG_${number(index)}.jpg`;
    if (index < 40) {
      return photo(name, 24, 'uploaded');
    }
    if (index < 43) {
      return photo(name, 24, 'uploading', 0.4);
    }
    return index % 1000 === 999
      ? photo(name, 24, 'failed', 0, 'CW-604')
      : photo(name, 24, 'waiting');
  });
}

/** Thirty photos of a wedding; three of them on their way. `share`: how much of the first of these has been sent. */
export function thirty(share: number): UploadItem[] {
  count = 0;
  return Array.from({ length: 30 }, (_, index) => {
    const name =
      index === 6
        ? '2026-06-11_ceremony_evening_final_v2_web.jpg'
        : `LH5_${String(4312 + 7 * index)}.jpg`;
    return index >= 3 && index < 14
      ? photo(name, 8.4, 'uploaded')
      : index < 3
        ? photo(name, 8.4, 'uploading', share / (index + 1))
        : photo(name, 8.4, 'waiting');
  });
}

/** Projects to upload to; the first is selected. */
export function withProjects(
  availability: DestinationState['availability'] = 'ready',
): Partial<Situation> {
  const projects = [
    { id: 'p1', name: 'Spring wedding', photos: 32, updated: null },
    { id: 'p2', name: 'Portraits May', photos: 118, updated: null },
    { id: 'p3', name: 'Press kit', photos: 9, updated: null },
  ];
  const isReady = availability === 'ready';
  return {
    destinations: {
      availability,
      projects: isReady ? projects : [],
      selected: isReady ? (projects[0] ?? null) : null,
      isLoading: false,
      error: null,
    },
    sharing: availability,
  };
}

/** An open document. @param approval of a client */
export function withDocument(
  kind: NonNullable<Situation['openDocument']>['upload']['kind'],
  approval: NonNullable<Situation['openDocument']>['approval'] = null,
  name = 'Lake at dusk.psd',
): Partial<Situation> {
  const at = new Date(2026, 4, 12, 14, 5).getTime();
  return {
    openDocument: {
      document: {
        key: 'document',
        name,
        documentId: null,
        stateId: '1',
        thumbnail: () => Promise.resolve(picture(name)),
      },
      upload:
        kind === 'changed'
          ? { kind, since: at }
          : kind === 'uploaded'
            ? { kind, at }
            : { kind: 'not-uploaded' },
      approval,
    },
  };
}

/** Selects of a link for a folder; `more` is what was done with them. */
export function withSelects(more: Partial<Situation['selects']> = {}): Partial<Situation> {
  return {
    ...SIGNED_IN,
    sharing: 'ready',
    selects: {
      ...SIGNED_OUT.selects,
      link: { id: 'l0', name: 'Brautpaar am See, Frühling', expires: null },
      folder: '2026-05-12 Raw',
      ...more,
    },
  };
}

/** What was done last with the comments in the document. */
export function withInDocument(more: Partial<Situation['inDocument']>): Partial<Situation> {
  return { inDocument: { ...SIGNED_OUT.inDocument, ...more } };
}

/** What clients said about the open document. */
export function withFeedback(now: number): Partial<Situation> {
  const entry = {
    kind: 'comment',
    name: 'Lake at dusk.jpg',
    link: 'k3x9qa',
    upload: '1',
    source: null,
    guest: 'Anna Maria Schneider-Hohenfels',
    at: now - 5 * 60_000,
    version: 2,
    isCurrent: true,
    place: {},
    isDone: false,
    reply: null,
    pageUrl: 'https://workspace.example.com/photos/1',
    isNew: false,
    isWaiting: false,
  } as const;
  return {
    documentFeedback: {
      needsPermission: true,
      unseen: 1,
      entries: [
        {
          ...entry,
          id: '1',
          isNew: true,
          text: 'Could the sign on the left go? It catches the eye.\nThe rest is lovely.',
          place: { spot: { x: 0.3, y: 0.4 } },
        },
        { ...entry, id: '2', kind: 'changes', text: '', guest: 'Mia' },
        {
          ...entry,
          id: '3',
          guest: 'Noor',
          text: 'A little darker, please.',
          place: { start: 42.5 },
          version: 1,
          isCurrent: false,
        },
        {
          ...entry,
          id: '4',
          guest: '美咲',
          text: '空をもう少し明るくしてください。',
          place: { page: 12 },
          isDone: true,
          isWaiting: true,
          reply: 'Done, see version 2.',
        },
      ],
    },
  };
}

/** Files of the workspace in the open document, in each state. */
export function withPlaced(
  now: number,
  more: Partial<Situation['placedStatus']> = {},
): Partial<Situation> {
  const names = [
    'Brautpaar_am_See_im_letzten_Abendlicht_0414_final.jpg',
    'Lake at dusk.jpg',
    'Album cover.psd',
    'Harbour.jpg',
    'Menu.pdf',
    'Portrait of Noor.tif',
    'Market.jpg',
    'Opening.mp4',
  ];
  const kinds = 'newer-approved newer newer current gone unknown foreign current'.split(
    ' ',
  ) as Exclude<PlacedRow['status']['kind'], 'other'>[];
  const sha256 = '';
  const rows = names.map((name, index): PlacedRow => {
    const kind = kinds[index] ?? 'unchecked';
    const current = {
      id: `next ${index}`,
      name,
      version: kind === 'current' ? index + 1 : index + 2,
      size: 24_300_000,
      sha256,
    };
    const identity = { origin: '', uploadId: `placed ${index}`, sha256 };
    return {
      key: String(index),
      name,
      identity: { ...identity, size: index === 1 || index === 3 ? 'web' : 'original' },
      placed:
        kind === 'unknown' || kind === 'foreign'
          ? null
          : { ...current, id: `placed ${index}`, version: index + 1 },
      status:
        kind === 'newer' || kind === 'newer-approved' || kind === 'current'
          ? { kind, current }
          : { kind },
      local: index === 2 ? 'changed' : index === 3 ? 'missing' : 'present',
    };
  });
  return {
    placedStatus: {
      ...SIGNED_OUT.placedStatus,
      rows,
      checkedAt: now - 3 * 60_000,
      ...more,
    },
  };
}
