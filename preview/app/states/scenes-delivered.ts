import { SIGNED_OUT, type Scenes } from './scene.js';
import {
  SIGNED_IN,
  withDocument,
  withFeedback,
  withInDocument,
  withPlaced,
  withSelects,
  withProjects,
  error,
  uploads,
  wedding,
  delivered,
} from './scene-parts.js';

const LONG_NAME = 'Brautpaar_am_See_im_letzten_Abendlicht_0414_final.jpg';

/** The line that lists the comments. */
const COMMENTS = { key: 'openComments', count: 2 } as const;

/** The line that lists the placed files. */
const PLACED = { key: 'newerVersions', count: 3 } as const;

/** Scenes about photos that have arrived, and about what could not be added. */
export const DELIVERED = {
  'delivered-folded': {
    title: 'Delivered, folded',
    situations: () => [{ ...SIGNED_IN, delivered: delivered(1000) }],
  },
  delivered: {
    title: 'Uploaded',
    situations: () => [{ ...SIGNED_IN, delivered: delivered() }],
    press: ['delivered'],
  },
  selecting: {
    title: 'Selecting photos for a link',
    situations: () => [{ ...SIGNED_IN, ...withProjects(), delivered: delivered() }],
    press: ['delivered', 'select'],
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
        rejected: [
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
  'not-added': {
    title: 'Some not added by an earlier run',
    situations: () => [
      uploads(wedding(0.2).slice(0, 3), {
        notAdded: [
          'IMG_0421.jpg',
          'Ein_sehr_langer_Dateiname_von_der_externen_Festplatte.jpg',
          '夕焼けの湖.jpg',
          'IMG_0424.jpg',
        ],
      }),
    ],
  },
  version: {
    title: 'A version of an earlier photo',
    situations: () => [
      uploads(wedding(1).slice(0, 3), { versions: [{ uploadId: 'u1', number: 2, of: LONG_NAME }] }),
    ],
  },
  versions: {
    title: 'Versions of earlier photos',
    situations: () => [
      uploads(wedding(1).slice(0, 3), {
        versions: [
          { uploadId: 'u1', number: 2, of: 'IMG_0412.jpg' },
          { uploadId: 'u2', number: 12, of: LONG_NAME },
        ],
      }),
    ],
  },
  'version-options': {
    title: 'A version, its options',
    situations: () => [
      {
        ...SIGNED_IN,
        delivered: delivered(1).map((photo) => ({
          ...photo,
          version: { number: 2, of: LONG_NAME },
        })),
      },
    ],
    press: ['delivered', 'options'],
  },
  feedback: {
    title: 'Comments of clients',
    situations: (now) => [{ ...SIGNED_IN, ...withDocument('changed'), ...withFeedback(now) }],
    press: [COMMENTS],
  },
  'feedback-line': {
    title: 'Comments of clients, a line',
    situations: (now) => [
      { ...SIGNED_IN, ...withProjects(), ...withDocument('changed'), ...withFeedback(now) },
    ],
  },
  'feedback-reply': {
    title: 'A reply to a comment',
    situations: (now) => [{ ...SIGNED_IN, ...withDocument('changed'), ...withFeedback(now) }],
    press: [COMMENTS, 'replyToComment'],
  },
  'feedback-in-document': {
    title: 'Comments in the document',
    situations: (now) => [
      {
        ...SIGNED_IN,
        ...withDocument('changed'),
        ...withFeedback(now),
        ...withInDocument({
          last: 'shown',
          numbers: new Map([
            ['1', 1],
            ['3', 12],
          ]),
          uncertain: 1,
          unplaced: 2,
        }),
      },
    ],
    press: [COMMENTS],
  },
  'feedback-not-in-document': {
    title: 'Comments that the app did not take',
    situations: (now) => [
      {
        ...SIGNED_IN,
        ...withDocument('changed'),
        ...withFeedback(now),
        ...withInDocument({ canGoTo: false, error: error('CW-814') }),
      },
    ],
    press: [COMMENTS],
  },
  'placed-line': {
    title: 'Placed files, a line',
    situations: (now) => [
      { ...SIGNED_IN, ...withProjects(), ...withDocument('uploaded'), ...withPlaced(now) },
    ],
  },
  'placed-files': {
    title: 'Placed files',
    situations: (now) => [{ ...SIGNED_IN, ...withDocument('uploaded'), ...withPlaced(now) }],
    press: [PLACED],
  },
  'placed-files-confirmation': {
    title: 'Placed files, what will change',
    situations: (now) => [{ ...SIGNED_IN, ...withDocument('uploaded'), ...withPlaced(now) }],
    press: [PLACED, 'updateAll'],
  },
  'placed-files-updating': {
    title: 'Placed files, being updated',
    situations: (now) => [
      {
        ...SIGNED_IN,
        ...withDocument('uploaded'),
        ...withPlaced(now),
        placedUpdates: {
          ...{ canUpdate: true, canUndo: true, result: null },
          progress: { done: 1, total: 3, isChanging: false },
        },
      },
    ],
    press: [PLACED],
  },
  'placed-files-updated': {
    title: 'Placed files, one not updated',
    situations: (now) => [
      {
        ...SIGNED_IN,
        ...withDocument('uploaded'),
        ...withPlaced(now),
        placedUpdates: {
          ...{ canUpdate: true, canUndo: false, progress: null },
          result: { updated: 2, failures: [{ name: LONG_NAME, error: error('CW-818') }] },
        },
      },
    ],
    press: [PLACED],
  },
  'placed-files-others': {
    title: 'Files placed another way, some that cannot be read',
    situations: (now) => [
      {
        ...SIGNED_IN,
        ...withDocument('uploaded'),
        ...withPlaced(now, {
          rows: [],
          others: [LONG_NAME, 'Map.ai', 'Film.mov', 'Harbour.jpg'].map((name, key) => ({
            ...{ key: String(key), name, isRead: key === 1 },
            local: key === 3 ? 'missing' : 'present',
          })),
        }),
        linkedFiles: {
          ...{ canRead: true, progress: null, error: null },
          unread: new Map([
            ['0', 'outside'],
            ['2', 'too-long'],
          ]),
        },
      },
    ],
    press: [{ key: 'placedCount', count: 4 }],
  },
  'placed-files-away': {
    title: 'Placed files, without the service',
    situations: (now) => [
      {
        ...SIGNED_IN,
        ...withDocument('uploaded'),
        ...withPlaced(now, { isAway: true, needsPermission: true }),
      },
    ],
    press: [PLACED],
  },
  placing: {
    title: 'A file that is being placed',
    situations: () => [
      {
        ...SIGNED_IN,
        placing: {
          ...SIGNED_OUT.placing,
          current: { name: 'Harbour at dusk.tif', received: 88_000_000, total: 210_000_000 },
        },
      },
    ],
  },
  'placing-permission': {
    title: 'Placing waits for a permission',
    situations: () => [{ ...SIGNED_IN, placing: { ...SIGNED_OUT.placing, needsPermission: true } }],
  },
  'placing-failed': {
    title: 'A file that was not placed',
    situations: () => [
      {
        ...SIGNED_IN,
        placing: {
          ...SIGNED_OUT.placing,
          failure: { name: 'Harbour at dusk.tif', wanted: 'place', error: error('CW-706') },
        },
      },
    ],
  },
  'selects-line': {
    title: 'Selects of clients, a line',
    situations: (now) => [
      { ...withSelects(), ...withProjects(), ...withDocument('changed'), ...withFeedback(now) },
    ],
  },
  'selects-first': {
    title: 'Selects of clients, nothing chosen',
    situations: () => [withSelects({ link: null, folder: null })],
    press: ['accountMenu', 'getSelects'],
  },
  'selects-permission': {
    title: 'Selects of clients, a permission is missing',
    situations: () => [withSelects({ missingScopes: 'shares:write uploads:read' })],
    press: ['getSelects'],
  },
  'selects-running': {
    title: 'Selects of clients, reading',
    situations: () => [withSelects({ steps: 212 })],
    press: ['getSelects'],
  },
  'selects-written': {
    title: 'Selects of clients, written',
    situations: () => [
      withSelects({
        isReplacing: true,
        isIntoFiles: true,
        undoable: 57,
        result: {
          kind: 'written',
          total: 72,
          found: 68,
          changed: Array.from({ length: 57 }, (_, index) => `LH5_${4312 + index}.xmp`),
          same: 8,
          kept: 2,
          missing: ['LH5_4399.jpg', LONG_NAME],
          ambiguous: ['DSC_0001.jpg'],
          failed: [
            { name: 'Day 2/LH5_4401.xmp', reason: 'refused' },
            { name: '夕焼けの湖.xmp', reason: 'unknown-xmp' },
            { name: 'LH5_4410.xmp', reason: 'changed' },
            { name: 'LH5_4411.xmp', reason: 'unreadable' },
            { name: 'LH5_4412.xmp', reason: 'full' },
          ],
          stopped: 'cancelled',
        },
      }),
    ],
    press: ['getSelects'],
  },
  'selects-shown': {
    title: 'Selects of clients, preview',
    situations: () => [
      withSelects({
        result: {
          kind: 'shown',
          total: 2,
          found: 2,
          changed: ['LH5_4312.xmp', LONG_NAME],
          same: 0,
          kept: 0,
          missing: [],
          ambiguous: [],
          failed: [],
          stopped: null,
        },
      }),
    ],
    press: ['getSelects'],
  },
  'selects-gone': {
    title: 'Selects of clients, the folder is gone',
    situations: () => [withSelects({ error: error('CW-705') })],
    press: ['getSelects'],
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
} as const satisfies Scenes;
