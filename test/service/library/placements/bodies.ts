import type { BodyExamples } from '../../support/body-examples.js';

export default {
  'PUT /api/v1/uploads/{id}/placements': {
    accepted: [{ placements: [] }, { placements: [{ id: 'a', later: 1 }] }],
    refused: [
      {},
      { placements: [{}] },
      { placements: [{ id: 'a b' }] },
      { placements: Array.from({ length: 501 }, () => ({ id: 'a' })) },
    ],
  },
} satisfies BodyExamples;
