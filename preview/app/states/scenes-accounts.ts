import type { Scenes } from './scene.js';
import { SIGNED_IN, account, error, code, uploads, wedding } from './scene-parts.js';

/** Scenes about the connected account. */
export const ACCOUNTS = {
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
} as const satisfies Scenes;
