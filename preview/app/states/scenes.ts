/** Every state a person can meet the panel in, as the panel's sources tell it. */
import type { Account } from '../../../src/api/account.js';
import type { GateState } from '../../../src/api/gate.js';
import { CwError, type ErrorCode } from '../../../src/base/errors.js';
import type { SessionState } from '../../../src/oauth/token-store.js';
import type { CodeShown, SignInState } from '../../../src/oauth/sign-in.js';
import type { DeliveredPhoto } from '../../../src/uploads/delivery-history.js';
import type { UploaderState } from '../../../src/uploads/uploader.js';
import type { UploadItem } from '../../../src/uploads/upload-item.js';
import type { Intents } from '../../../src/panel/view.js';
import type { PlainKey } from '../../../src/panel/strings/catalogue.js';

/** What the panel's sources say at one moment. */
export interface Situation {
  readonly session: SessionState;
  readonly account: Account | null;
  readonly signIn: SignInState;
  /** Whether the sign-in is for another account. */
  readonly isForAnother: boolean;
  readonly queue: GateState;
  readonly uploader: UploaderState;
  readonly items: readonly UploadItem[];
  readonly delivered: readonly DeliveredPhoto[];
}

export interface Scene {
  /** Shown in the preview's menu. */
  readonly title: string;
  /** Situations one after the other, three seconds apart; the last is what is looked at. */
  situations(now: number): readonly Partial<Situation>[];
  /** Buttons pressed afterwards, by their words. */
  readonly press?: readonly (PlainKey | 'delivered')[];
  /** What the app refuses, and with which code; everything else succeeds. */
  readonly refuses?: Partial<Record<keyof Intents, ErrorCode>>;
  readonly isTooOld?: boolean;
}

export const SIGNED_OUT: Situation = {
  session: { kind: 'signed-out' },
  account: null,
  signIn: { kind: 'idle' },
  isForAnother: false,
  queue: { kind: 'open' },
  uploader: {
    paused: false,
    adding: null,
    refused: [],
    storageError: null,
    question: null,
    willAsk: false,
    removal: null,
    documentError: null,
  },
  items: [],
  delivered: [],
};

const SIGNED_IN: Partial<Situation> = {
  session: { kind: 'signed-in', trouble: null },
  account: account('Demo Photographer', 'Demo Studio'),
};

function account(name: string, workspace: string): Account {
  return { name, username: 'demo', workspace: { id: '0a1b2c', name: workspace } };
}

function error(code: ErrorCode): CwError {
  return new CwError(code, 'shown in the preview');
}

function code(now: number, more: Partial<CodeShown> = {}): Partial<Situation> {
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
      ...more,
    },
  };
}

function uploads(
  items: readonly UploadItem[],
  uploader: Partial<UploaderState> = {},
): Partial<Situation> {
  return { ...SIGNED_IN, items, uploader: { ...SIGNED_OUT.uploader, ...uploader } };
}

let count = 0;

function photo(
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
      position: count,
      priority: 0,
      queuedAt: 0,
      uploadUrl: null,
      failure,
    },
    phase,
    sentBytes: size * share,
    confirmedBytes: size * share,
  };
}

/** A wedding under way; `share` is how far the photos being sent are. */
function wedding(share: number): UploadItem[] {
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

/** What has arrived on a November day, the newest first. */
function delivered(total = 3): DeliveredPhoto[] {
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
    checked: index !== 1,
    sha256: index === 1 ? null : '0123456789abcdef'.repeat(4),
    pageUrl: index === 1 ? null : `https://workspace.example.com/photos/${index}`,
  }));
}

function tenThousand(): UploadItem[] {
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

export const SCENES = {
  starting: {
    title: 'Starting',
    situations: () => [{ session: { kind: 'loading' } }],
  },
  'not-connected': { title: 'Not connected', situations: () => [{}] },
  requesting: {
    title: 'Asking for a code',
    situations: () => [{ signIn: { kind: 'requesting' } }],
  },
  'requesting-slow': {
    title: 'Asking for a code, for long',
    situations: () => [{ signIn: { kind: 'requesting', isSlow: true } }],
  },
  'requesting-later': {
    title: 'Asking for a code, later',
    situations: (now) => [{ signIn: { kind: 'requesting', until: now + 25_000 } }],
  },
  code: { title: 'Code', situations: (now) => [code(now)] },
  'code-spelled': {
    title: 'Code, spelled out',
    situations: (now) => [code(now)],
    press: ['spellOut'],
  },
  'code-qr': { title: 'Code, as QR code', situations: (now) => [code(now)], press: ['showQr'] },
  'code-copied': { title: 'Code, copied', situations: (now) => [code(now)], press: ['copyCode'] },
  'code-not-copied': {
    title: 'Code, clipboard refused',
    situations: (now) => [code(now)],
    press: ['copyCode'],
    refuses: { copyText: 'CW-801' },
  },
  'code-long': {
    title: 'Code, a long one',
    situations: (now) => [
      code(now, {
        userCode: 'WDJBMJHT-92QK',
        addressToOpen: 'https://workspace.example.com/oauth/device',
      }),
    ],
  },
  'code-no-browser': {
    title: 'Code, browser not opened',
    situations: (now) => [code(now, { browserError: error('CW-105') })],
  },
  'code-almost-over': {
    title: 'Code, under a minute left',
    situations: (now) => [code(now, { expiresAt: now + 40_000 })],
  },
  'code-offline': {
    title: 'Code, no connection',
    situations: (now) => [code(now, { trouble: error('CW-301'), check: 'offered' })],
  },
  'code-unreachable': {
    title: 'Code, service in trouble',
    situations: (now) => [code(now, { trouble: error('CW-303'), check: 'offered' })],
  },
  'code-waited': {
    title: 'Code, for more than a minute',
    situations: (now) => [code(now, { check: 'offered' })],
  },
  'code-checking': {
    title: 'Code, asked to check now',
    situations: (now) => [code(now, { check: 'asked' })],
  },
  'code-offline-checking': {
    title: 'Code, no connection, asked to check now',
    situations: (now) => [code(now, { trouble: error('CW-301'), check: 'asked' })],
  },
  approved: { title: 'Approved', situations: (now) => [code(now), SIGNED_IN] },
  denied: {
    title: 'Denied',
    situations: () => [{ signIn: { kind: 'ended', error: error('CW-103') } }],
  },
  expired: {
    title: 'Code expired',
    situations: () => [{ signIn: { kind: 'ended', error: error('CW-102') } }],
  },
  'not-started': {
    title: 'Sign-in not started: service unreachable',
    situations: () => [{ signIn: { kind: 'ended', error: error('CW-301') } }],
  },
  idle: { title: 'Connected, idle', situations: () => [SIGNED_IN] },
  nameless: {
    title: 'Connected, name not known',
    situations: () => [{ ...SIGNED_IN, account: null }],
  },
  'long-names': {
    title: 'Connected, long names',
    situations: () => [
      {
        ...SIGNED_IN,
        account: account(
          'Maximiliane Freifrau von Hohenfels-Donnersmarck',
          'Fotografie am Oberlandesgericht, Außenstelle 2',
        ),
      },
    ],
  },
  'other-scripts': {
    title: 'Connected, names in other scripts',
    situations: () => [
      { ...SIGNED_IN, account: account('مصورة الأعراس ليلى', '👨‍👩‍👧‍👦🎂🇯🇵 夕焼けの湖写真館と仲間たち') },
    ],
  },
  'another-code': {
    title: 'Another account, code',
    situations: (now) => [{ ...SIGNED_IN, ...code(now), isForAnother: true }],
  },
  'another-denied': {
    title: 'Another account, denied',
    situations: () => [
      {
        ...uploads(wedding(0.3)),
        signIn: { kind: 'ended', error: error('CW-103') },
        isForAnother: true,
      },
    ],
  },
  'picker-failed': {
    title: 'File window did not open',
    situations: () => [SIGNED_IN],
    press: ['addPhotos'],
    refuses: { addPhotos: 'CW-802' },
  },
  adding: {
    title: 'Adding photos',
    situations: () => [uploads(wedding(0.1).slice(5), { adding: { done: 2, total: 1240 } })],
  },
  uploading: {
    title: 'Uploading',
    situations: () => [uploads(wedding(0.1)), uploads(wedding(0.3)), uploads(wedding(0.62))],
  },
  options: {
    title: 'Uploading, options of a photo',
    situations: () => [uploads(wedding(0.3))],
    press: ['options'],
  },
  paused: {
    title: 'Paused',
    situations: () => [
      uploads(
        wedding(0).map((item) =>
          item.phase === 'uploading' ? { ...item, phase: 'waiting' } : item,
        ),
        { paused: true },
      ),
    ],
  },
  offline: {
    title: 'Offline',
    situations: (now) => [
      {
        ...uploads(wedding(0.4)),
        queue: { kind: 'waiting', error: error('CW-301'), until: now + 23_000 },
      },
    ],
  },
  'try-now': {
    title: 'Offline, Try now was pressed',
    situations: (now) => [
      {
        ...uploads(wedding(0.4)),
        queue: { kind: 'waiting', error: error('CW-301'), until: now + 23_000 },
      },
    ],
    press: ['tryNow'],
  },
  'sent-again': {
    title: 'Uploading, some is sent again',
    situations: () => [uploads(wedding(0.62)), uploads(wedding(0.5))],
  },
  unreachable: {
    title: 'Service unreachable, waiting to retry',
    situations: (now) => [
      {
        ...uploads(wedding(0.4)),
        queue: { kind: 'waiting', error: error('CW-303'), until: now + 240_000 },
      },
    ],
  },
  failed: {
    title: 'Some failed',
    situations: () => [
      uploads([
        ...wedding(0.5).slice(0, 3),
        photo('Panorama_Dachterrasse_gesamt.tif', 812, 'failed', 0, 'CW-604'),
        photo('notes.txt', 0.1, 'failed', 0, 'CW-605'),
        photo('IMG_0420.jpg', 23, 'failed', 0, 'CW-604'),
      ]),
    ],
  },
  removed: {
    title: 'Photos removed',
    situations: () => [uploads(wedding(0.5)), uploads(wedding(0.6), { removal: { photos: 3 } })],
  },
  disconnecting: {
    title: 'Disconnecting with photos waiting',
    situations: () => [uploads(wedding(0.3))],
    press: ['disconnect'],
  },
  held: {
    title: 'Some may be no photos',
    situations: () => [
      uploads([
        ...wedding(0.5).slice(2, 3),
        photo('Ablaufplan der Hochzeit von Anna und Ben.jpg', 0.1, 'failed', 0, 'CW-609'),
        photo('Anna & Ben 👩‍❤️‍👨🇩🇪👨‍👩‍👧‍👦👍🏽0420.jpg', 2.4, 'failed', 0, 'CW-610'),
        photo('👨‍👩‍👧‍👦🎂.png', 3, 'failed', 0, 'CW-610'),
        photo('IMG_0421.jpg', 23, 'failed', 0, 'CW-604'),
      ]),
    ],
  },
  'held-options': {
    title: 'May be no photo, its options',
    situations: () => [
      uploads([photo('Ablaufplan der Hochzeit von Anna und Ben.jpg', 0.1, 'failed', 0, 'CW-609')]),
    ],
    press: ['options'],
  },
  known: {
    title: 'Some are in the workspace already',
    situations: () => [
      uploads([
        ...wedding(0.5).slice(2, 3),
        photo('IMG_0412.jpg', 24.3, 'failed', 0, 'CW-611'),
        photo('IMG_0413.jpg', 22.8, 'failed', 0, 'CW-611'),
      ]),
    ],
  },
  'known-options': {
    title: 'In the workspace already, its options',
    situations: () => [uploads([photo('IMG_0412.jpg', 24.3, 'failed', 0, 'CW-611')])],
    press: ['options'],
  },
  'delivered-folded': {
    title: 'Delivered, folded',
    situations: () => [{ ...SIGNED_IN, delivered: delivered(1000) }],
  },
  delivered: {
    title: 'Delivered',
    situations: () => [{ ...SIGNED_IN, delivered: delivered() }],
    press: ['delivered'],
  },
  'delivered-options': {
    title: 'Delivered, options of a photo',
    situations: () => [{ ...SIGNED_IN, delivered: delivered() }],
    press: ['delivered', 'options'],
  },
  'delivered-many': {
    title: 'Delivered, a thousand',
    situations: () => [{ ...uploads(wedding(0.3)), delivered: delivered(1000) }],
    press: ['delivered'],
  },
  'delivered-not-copied': {
    title: 'Delivered, clipboard refused',
    situations: () => [{ ...SIGNED_IN, delivered: delivered() }],
    press: ['delivered', 'copyList'],
    refuses: { copyText: 'CW-801' },
  },
  refused: {
    title: 'Some not added',
    situations: () => [
      uploads(wedding(0.2).slice(0, 3), {
        refused: [
          { name: 'IMG_0001.jpg', error: error('CW-601') },
          {
            name: 'Ein_sehr_langer_Dateiname_von_der_externen_Festplatte.jpg',
            error: error('CW-602'),
          },
          { name: 'IMG_0003.jpg', error: error('CW-602') },
        ],
      }),
    ],
  },
  'document-failed': {
    title: 'Document not uploaded',
    situations: () => [uploads([], { documentError: error('CW-805') })],
  },
  'all-arrived': {
    title: 'All have arrived',
    situations: () => [
      uploads(wedding(1).slice(0, 3)),
      uploads(
        wedding(1)
          .slice(0, 3)
          .map((item) => ({ ...item, phase: 'uploaded' as const })),
      ),
    ],
  },
  reconnect: {
    title: 'Reconnect needed, photos waiting',
    situations: () => [
      {
        session: { kind: 'reconnect-needed', error: error('CW-202') },
        items: wedding(0).slice(5),
      },
    ],
  },
  'reconnect-denied': {
    title: 'Reconnecting denied, photos waiting',
    situations: () => [
      {
        session: { kind: 'reconnect-needed', error: error('CW-202') },
        signIn: { kind: 'ended', error: error('CW-103') },
        items: wedding(0).slice(5),
      },
    ],
  },
  'will-ask': {
    title: 'Disconnected, photos waiting',
    situations: () => [
      { items: wedding(0).slice(5), uploader: { ...SIGNED_OUT.uploader, willAsk: true } },
    ],
  },
  question: {
    title: 'Signed in as someone else: what of the photos?',
    situations: () => [uploads(wedding(0).slice(5), { question: { photos: 2 } })],
  },
  'storage-full': {
    title: 'Storage trouble: disk full',
    situations: () => [uploads(wedding(0.2), { storageError: error('CW-703') })],
  },
  'storage-list': {
    title: 'Storage trouble: list not kept',
    situations: () => [uploads(wedding(0.2), { storageError: error('CW-702') })],
  },
  'storage-sign-in': {
    title: 'Storage trouble: sign-in not kept',
    situations: () => [
      { ...uploads(wedding(0.2)), session: { kind: 'signed-in', trouble: error('CW-701') } },
    ],
  },
  'second-panel': {
    title: 'Opened a second time',
    situations: () => [uploads([], { storageError: error('CW-704') })],
  },
  help: { title: 'Help', situations: () => [SIGNED_IN], press: ['help'] },
  diagnostics: {
    title: 'Help, diagnostics shown',
    situations: () => [uploads(wedding(0.62))],
    press: ['help', 'showDiagnostics'],
  },
  'diagnostics-not-copied': {
    title: 'Help, clipboard refused',
    situations: () => [SIGNED_IN],
    press: ['help', 'copyDiagnostics'],
    refuses: { copyDiagnostics: 'CW-801' },
  },
  'ten-thousand': {
    title: 'Ten thousand photos',
    situations: () => [uploads(tenThousand())],
  },
  'too-old': { title: 'App too old', situations: () => [{}], isTooOld: true },
} as const satisfies Readonly<Record<string, Scene>>;

export type SceneName = keyof typeof SCENES;

export function isSceneName(name: string): name is SceneName {
  return Object.hasOwn(SCENES, name);
}
