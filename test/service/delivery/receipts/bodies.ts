import type { BodyExamples } from '../../support/body-examples.js';

export default {
  'POST /api/v1/receipts': {
    accepted: [{ project: 'p' }, { uploads: ['a', 'b'] }],
    refused: [{}, { uploads: [] }, { uploads: ['a b'] }, { project: 'p', uploads: ['a'] }],
  },
} satisfies BodyExamples;
