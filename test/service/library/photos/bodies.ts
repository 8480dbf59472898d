import type { BodyExamples } from '../../support/body-examples.js';

export default {
  'POST /api/v1/photos/status': {
    accepted: [
      { links: [] },
      { links: [{ id: 'a', sha256: 'a'.repeat(64), document: 'd', later: 1 }, {}], revision: 'r' },
    ],
    refused: [
      {},
      { links: [{ id: 'a b' }] },
      { links: [{ sha256: 'A'.repeat(64) }] },
      { links: [{ document: '' }] },
      { links: [], revision: 'x'.repeat(65) },
      { links: Array.from({ length: 501 }, () => ({})) },
    ],
  },
  'POST /api/v1/uploads/{id}/project': {
    accepted: [{ project: 'p' }, { project: null }],
    refused: [{}, { project: 1 }],
  },
} satisfies BodyExamples;
