import { expect, it } from '@jest/globals';
import { basename } from 'node:path';
import { generatedPages } from '../../scripts/generate.js';

it.each(generatedPages().map((page) => [basename(page.path), page] as const))(
  'docs/%s is as `npm run generate` writes it',
  (_, { present, wanted }) => {
    expect(present).toBe(wanted);
  },
);
