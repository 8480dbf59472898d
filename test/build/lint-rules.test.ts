import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { FEATURE_ORDER, importProblem } from '../../scripts/lint-rules.js';

const PANEL = 'src/panel/connected.tsx';
const FOLDER = 'src/features/folder/folder-watch.ts';
const DOOR = 'A feature is imported only through its index.ts.';

it.each([
  ['its own files', FOLDER, 'src/features/folder/known-file.js', undefined],
  ['a feature below', FOLDER, 'src/features/queue/index.js', undefined],
  ['past the door of a feature', FOLDER, 'src/features/queue/photo-record.js', DOOR],
  [
    'a feature above',
    FOLDER,
    'src/features/on-save/index.js',
    'folder does not import on-save: see FEATURE_ORDER.',
  ],
  ['what views share', FOLDER, 'src/ui/view.js', undefined],
  [
    'the panel',
    FOLDER,
    'src/panel/panel.js',
    'src/features imports only from features, ui, account, api, oauth, host, util.',
  ],
  ['a feature', PANEL, 'src/features/folder/index.js', undefined],
  ['past the door of a feature', PANEL, 'src/features/folder/folder-section.js', DOOR],
  ['past the door of a feature', 'src/plugin.ts', 'src/features/folder/folder-watch.js', DOOR],
  [
    'a feature',
    'src/ui/notice.tsx',
    'src/features/folder/index.js',
    'src/ui imports only from ui, account, api, oauth, host, util.',
  ],
  [
    'the features',
    'src/host/uxp.ts',
    'src/features/queue/index.js',
    'src/host imports only from host, util.',
  ],
  [
    'past the door of a feature',
    'service/library/photos/a.ts',
    'service/library/uploads/b.js',
    DOOR,
  ],
])('an import of %s by %s', (_what, file, target, expected) => {
  expect(importProblem(file, target)).toBe(expected);
});

it('each feature has its place in the order', () => {
  expect([...FEATURE_ORDER].sort()).toEqual(readdirSync('src/features').sort());
});
