import type { BodyExamples } from '../../support/body-examples.js';

export default {
  'PATCH /api/v1/connection': {
    accepted: [{ device_name: 'Studio' }],
    refused: [
      {},
      { device_name: '' },
      { device_name: 'x'.repeat(101) },
      { device_name: 'x', more: 1 },
    ],
  },
} satisfies BodyExamples;
