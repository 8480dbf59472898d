import type { BodyExamples } from '../../support/body-examples.js';

export default {
  'POST /api/v1/projects': {
    accepted: [{ name: 'Coast' }, { name: 'Coast', more: 1 }],
    refused: [{}, { name: 1 }],
  },
  'PATCH /api/v1/projects/{id}': {
    accepted: [{}, { name: 'Coast', archived: true }],
    refused: [{ name: null }, { archived: 'yes' }],
  },
} satisfies BodyExamples;
