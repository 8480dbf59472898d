import { sha256 } from '@noble/hashes/sha2.js';
import { hexOf } from '../../util/hex.js';
import { encodeUtf8 } from '../../../packages/utf8/index.js';
import type { ProjectRef } from '../../api/project.js';
import type { Preset } from './preset.js';

/** Characters of a recipe. */
const LENGTH = 24;

/**
 * Names how an automatic export is made and where it goes. The same state of a document is queued once with one recipe.
 * The names of preset and project do not count.
 */
export function recipeOf(preset: Preset, project: ProjectRef | null): string {
  const { id, namePattern, settings } = preset;
  const parts = JSON.stringify([id, namePattern, sorted(settings), project?.id ?? null]);
  return hexOf(sha256(encodeUtf8(parts))).slice(0, LENGTH);
}

/** With all members in the order of their names: what was read from storage may have another order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}
