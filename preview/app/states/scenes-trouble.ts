import { SIGNED_OUT, type Scenes } from './scene.js';
import { SIGNED_IN, error, uploads, wedding, tenThousand } from './scene-parts.js';

/** Scenes in which the user must decide or repair something, and the help. */
export const TROUBLE = {
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
  'storage-unread': {
    title: 'Storage trouble: list not read',
    situations: () => [uploads([], { storageError: error('CW-702'), isUnread: true })],
  },
  found: {
    title: 'Photos found from an earlier session',
    situations: () => [uploads(wedding(0.2), { orphans: 2 })],
  },
  'storage-sign-in': {
    title: 'Storage trouble: sign-in not kept',
    situations: () => [
      { ...uploads(wedding(0.2)), session: { kind: 'signed-in', trouble: error('CW-701') } },
    ],
  },
  'second-panel': {
    title: 'Open twice',
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
    refuses: { copyText: 'CW-801' },
  },
  'ten-thousand': {
    title: 'Ten thousand photos',
    situations: () => [uploads(tenThousand())],
  },
  'too-old': { title: 'App too old', situations: () => [{}], isOldHost: true },
} as const satisfies Scenes;
