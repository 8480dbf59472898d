import type { Scenes } from './scene.js';
import { SIGNED_IN, error, code } from './scene-parts.js';

const NUMBERS = { choices: ['17', '42', '86'], chosen: null };

/** Scenes about connecting, up to the end of a sign-in. */
export const SIGNING_IN = {
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
    press: ['troubleOpening', 'spellOut'],
  },
  'code-qr': {
    title: 'Code, as QR code',
    situations: (now) => [code(now)],
    press: ['troubleOpening', 'showQr'],
  },
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
  number: { title: 'Number', situations: (now) => [code(now, { numbers: NUMBERS })] },
  'number-chosen': {
    title: 'Number, chosen',
    situations: (now) => [code(now, { numbers: { ...NUMBERS, chosen: '42' } })],
  },
  'number-none': {
    title: 'Number, none of them chosen',
    situations: (now) => [code(now, { numbers: { ...NUMBERS, chosen: 'none' } })],
  },
  'number-offline': {
    title: 'Number, chosen without connection',
    situations: (now) => [
      code(now, { numbers: { ...NUMBERS, chosen: '42' }, trouble: error('CW-301') }),
    ],
  },
  'number-another': {
    title: 'Number, for another account',
    situations: (now) => [
      { ...SIGNED_IN, isForAnother: true },
      { ...SIGNED_IN, isForAnother: true, ...code(now, { numbers: NUMBERS }) },
    ],
  },
  'wrong-number': {
    title: 'Number, a wrong one',
    situations: () => [{ signIn: { kind: 'ended', error: error('CW-107') } }],
  },
  'not-allowed': {
    title: 'Not allowed',
    situations: () => [{ signIn: { kind: 'ended', error: error('CW-108') } }],
  },
  'computer-before': {
    title: 'This computer, not connected',
    situations: () => [{}],
    press: ['thisComputer'],
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
} as const satisfies Scenes;
