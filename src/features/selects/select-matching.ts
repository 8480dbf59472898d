import type { Select } from './client-selects.js';
import type { Target } from './local-photos.js';
import { findRenamed, type RenamedOptions } from './renamed-files.js';

export interface MatchingOptions extends RenamedOptions {
  /** Whether files that can carry XMP get it, in place of sidecars. */
  readonly isIntoFiles: boolean;
}

/** A file to write into, with what clients answered about it: several photos of the service may be one file. */
export interface MatchedFile {
  readonly target: Target;
  readonly selects: readonly Select[];
}

export interface Matching {
  readonly files: readonly MatchedFile[];
  /** The names of selects without a file, and of those with several, sorted. */
  readonly missing: readonly string[];
  readonly ambiguous: readonly string[];
}

/**
 * Finds the file of each select: by name, then by bytes, then by the document of the upload.
 * @throws {CwError} of the requests
 * @throws {CancelledError}
 */
export async function matchSelects(
  selects: readonly Select[],
  options: MatchingOptions,
): Promise<Matching> {
  const { local, isIntoFiles } = options;
  const byName = selects.map((select) => ({
    select,
    found: local.named(select.name).map((photo) => ({ photo, path: select.name })),
  }));
  const certain = byName.filter(({ found }) => found.length === 1);
  const open = byName.filter(({ found }) => found.length !== 1);
  const named = new Set(certain.flatMap(({ found }) => found.map(({ photo }) => photo)));
  const renamed = await findRenamed(
    open.map(({ select }) => select),
    local.photos.filter((photo) => !named.has(photo)),
    options,
  );
  const decided = open.map(({ select, found }) => ({
    select,
    found: renamed.get(select) ?? found,
  }));

  const files = new Map<string, { readonly target: Target; readonly selects: Select[] }>();
  const missing: string[] = [];
  const ambiguous: string[] = [];
  for (const { select, found } of [...certain, ...decided]) {
    const [only] = found;
    const target =
      only && found.length === 1 ? local.targetOf(only.photo, only.path, isIntoFiles) : null;
    if (target) {
      const file = files.get(target.path) ?? { target, selects: [] };
      files.set(target.path, file);
      file.selects.push(select);
    } else {
      (found.length > 0 ? ambiguous : missing).push(select.name);
    }
  }
  return { files: [...files.values()], missing: missing.sort(), ambiguous: ambiguous.sort() };
}
