import type { FolderTree } from '../../host/folders.js';
import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { openContent } from './file-content.js';
import { ChangedError, unanswered } from './file-failures.js';
import { bytesOf, digestOf } from './rewriting.js';
import type { UndoEntry } from './undo-log.js';

/**
 * Makes a file what it was. Its content decides: the app may have changed it or not.
 * @returns whether it had changed
 * @throws {ChangedError} when something else is in it
 * @throws {CwError} CW-602, CW-703, CW-811; then it may be tried again
 */
export async function putBack(tree: FolderTree, entry: UndoEntry, clock: Clock): Promise<boolean> {
  const { path, hadFile, sha256, former, pieces } = entry;
  const stat = await tree.stat(path);
  const content = await openContent(tree, path);
  try {
    const digest = content ? await digestOf(content, clock) : '';
    if (digest === former) {
      return false;
    }
    if (!content || !stat) {
      throw new CwError('CW-602', 'the file is gone, or cannot be read now');
    }
    if (digest !== sha256) {
      throw new ChangedError();
    }
    if (!hadFile) {
      await tree.remove(path);
    } else if ((await tree.replace(path, stat, bytesOf(content, pieces))) !== 'replaced') {
      // The next Undo compares it again.
      throw unanswered();
    }
    return true;
  } finally {
    await content?.close();
  }
}
