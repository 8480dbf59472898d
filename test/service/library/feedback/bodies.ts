import type { BodyExamples } from '../../support/body-examples.js';

export default {
  'POST /api/v1/feedback/{id}/reply': {
    accepted: [{ text: 'Done' }],
    refused: [{}, { text: 1 }, { text: 'x'.repeat(2001) }, { text: 'Done', more: 1 }],
  },
} satisfies BodyExamples;
