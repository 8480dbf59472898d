import type { BodyExamples } from '../../support/body-examples.js';

export default {
  'POST /api/v1/shares': {
    accepted: [
      { project: 'p' },
      { uploads: ['a'], days: 7, password: 'long enough', watermark: true },
    ],
    refused: [
      {},
      { project: 'p', uploads: ['a'] },
      { uploads: [] },
      { uploads: Array.from({ length: 1001 }, () => 'a') },
      { project: 'p', days: '7' },
      { project: 'p', more: 1 },
    ],
  },
  'PATCH /api/v1/shares/{id}': {
    accepted: [
      {},
      { title: null, cover: null, password: null, expires: '2026-12-24T12:00:00.000Z' },
    ],
    refused: [{ downloads: 'all' }, { watermark: null }, { expires: 1 }, { more: 1 }],
  },
} satisfies BodyExamples;
