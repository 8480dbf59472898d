import type { FolderTree } from '../../host/host.js';
import type { Clock } from '../../util/clock.js';
import { openContent } from './file-content.js';
import { bytesOf, digestOf } from './rewriting.js';
import type { UndoEntry } from './undo-log.js';

/**
 * Makes a file what it was, also one that a kill has left half changed.
 * @returns false when the file has changed since
 * @throws {CwError} CW-602, CW-703, CW-811
 */
export async function putBack(tree: FolderTree, entry: UndoEntry, clock: Clock): Promise<boolean> {
  const { path, hadFile, sha256, former, pieces } = entry;
  await tree.recover(path, hadFile);
  const content = await openContent(tree, path);
  try {
    const digest = content ? await digestOf(content, clock) : '';
    if (digest === former) {
      return true;
    }
    if (!content || digest !== sha256) {
      return false;
    }
    await (hadFile ? tree.replace(path, bytesOf(content, pieces)) : tree.remove(path));
    return true;
  } finally {
    await content?.close();
  }
}
