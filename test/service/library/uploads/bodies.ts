import type { BodyExamples } from '../../support/body-examples.js';

const FILE = { name: 'a.jpg', size: 1 };

export default {
  'POST /api/v1/uploads/known': {
    accepted: [
      { files: [] },
      { files: [{ ...FILE, document: 'd', project: 'p', version_by: 'document', later: 1 }] },
    ],
    refused: [
      {},
      { files: [{ name: 'a' }] },
      { files: [{ ...FILE, size: -1 }] },
      { files: [{ ...FILE, size: 1.5 }] },
      { files: [{ ...FILE, name: 'x'.repeat(256) }] },
      { files: [{ ...FILE, document: '' }] },
      { files: [{ ...FILE, project: 'a b' }] },
      { files: [{ ...FILE, version_by: 'name' }] },
      { files: Array.from({ length: 1001 }, () => FILE) },
    ],
  },
} satisfies BodyExamples;
