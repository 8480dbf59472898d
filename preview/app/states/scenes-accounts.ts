import type { Scenes } from './scene.js';
import {
  SIGNED_IN,
  withDocument,
  withProjects,
  account,
  error,
  code,
  uploads,
  wedding,
} from './scene-parts.js';

/** Scenes about the connected account. */
export const ACCOUNTS = {
  idle: { title: 'Connected, idle', situations: () => [SIGNED_IN] },
  'account-menu': {
    title: 'Connected, account menu',
    situations: () => [SIGNED_IN],
    press: ['accountMenu'],
  },
  device: {
    title: 'This computer',
    situations: () => [SIGNED_IN],
    press: ['accountMenu', 'thisComputerMenu'],
  },
  'computer-refused': {
    title: 'This computer, name refused',
    situations: () => [SIGNED_IN],
    press: ['accountMenu', 'thisComputerMenu', 'save'],
    refuses: { renameDevice: 'CW-204' },
  },
  destinations: {
    title: 'Choosing a destination',
    situations: () => [{ ...SIGNED_IN, ...withProjects(), ...withDocument('not-uploaded') }],
    press: ['to'],
  },
  'destination-permission': {
    title: 'Choosing a destination needs permission',
    situations: () => [{ ...SIGNED_IN, ...withProjects('needs-permission') }],
    press: ['to'],
  },
  share: {
    title: 'Sharing a project',
    situations: () => [{ ...SIGNED_IN, ...withProjects() }],
    press: ['share'],
  },
  'share-created': {
    title: 'Sharing a project, link created',
    situations: () => [{ ...SIGNED_IN, ...withProjects() }],
    press: ['share', 'createLink'],
  },
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
