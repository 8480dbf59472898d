/**
 * A process that takes and gives back the lock of a data folder on its parent's command:
 * `{ take: file }` is answered with `true` (it has the lock) or the code of the refusal, `'give'`
 * with `false`.
 */
import { lockFolder } from '../../../service/kernel/database/folder-lock.js';
import { ServiceStartError } from '../../../service/kernel/errors.js';

let give: (() => void) | undefined;

function take(file: string): true | string {
  try {
    give = lockFolder(file, 'the data folder');
    return true;
  } catch (error) {
    return error instanceof ServiceStartError ? error.code : String(error);
  }
}

process.on('message', (message: { take: string } | 'give') => {
  if (message === 'give') {
    give?.();
    process.send?.(false);
  } else {
    process.send?.(take(message.take));
  }
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
