import { describe, expect, it } from '@jest/globals';
import { ReservedClientNames } from '../../../service/oauth/clients/reserved-client-names.js';

describe('the name of a workspace app', () => {
  const official = new ReservedClientNames(['Lightbox Importer']);

  it.each([
    ['Creative Workspace', true],
    ['Creative Workspace Support', true],
    ['creative-workspace sync', true],
    ['Cre\u0430tive Workspace Sync', true],
    ['Photoshop', true],
    ['Photoshop Export', true],
    ['Adobe Photoshop 2026', true],
    ['InDesign Server', true],
    ['Adobe InDesign', true],
    ['Premiere Pro', true],
    ['Adobe Premiere', true],
    ['My Lightbox Importer', true],
    ['Print shop', false],
    ['Export from Photoshop', false],
    ['North Studio for Creative Workspace', false],
    ['Adobe', false],
  ])('looks like an official name: %s is %s', (name, isOfficial) => {
    expect(official.includes(name)).toBe(isOfficial);
  });
});
