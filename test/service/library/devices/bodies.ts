import type { BodyExamples } from '../../support/body-examples.js';

const REPORT = {
  device_name: 'Studio',
  waiting: 1,
  waiting_seconds: null,
  state: 'paused',
  reason: null,
};

export default {
  'PUT /api/v1/devices/{id}/queue': {
    accepted: [REPORT, { ...REPORT, waiting_seconds: 5, reason: 'CW-301' }],
    refused: [
      {},
      { ...REPORT, waiting: -1 },
      { ...REPORT, waiting: 1_000_001 },
      { ...REPORT, waiting_seconds: 1.5 },
      { ...REPORT, state: 'idle' },
      { ...REPORT, reason: 'x'.repeat(41) },
      { ...REPORT, reason: 'a b' },
      { ...REPORT, more: 1 },
    ],
  },
} satisfies BodyExamples;
