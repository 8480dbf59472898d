import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { decodeUtf8, encodeUtf8 } from '../../../packages/utf8/index.js';
import type { SecretStore } from '../storage.js';
import { answerOf, StorageRetry } from '../storage-retry.js';
import type { UxpModule } from './uxp-module.js';

/**
 * Secrets in UXP's secureStorage, which gives bytes, refuses empty values, and treats an absent key
 * differently before and after UXP 9.0 (SecureStorage page and Photoshop changelog 26.10).
 */
export function createUxpSecrets(
  storage: UxpModule['storage']['secureStorage'],
  clock: Clock,
): SecretStore {
  const retry = new StorageRetry(clock, () => false);
  return {
    async get(key) {
      let bytes: Uint8Array | null | undefined;
      try {
        bytes = await retry.run(async () => {
          try {
            return await answerOf(clock, storage.getItem(key));
          } catch (error) {
            // UXP before 9.0 rejects for an absent key. Another try would change nothing.
            if (isAbsent(storage, key)) {
              return null;
            }
            throw error;
          }
        });
      } catch {
        // Only a refused write shows that the storage is broken.
        return null;
      }
      if (!bytes || bytes.length === 0) {
        return null;
      }
      return decodeUtf8(bytes);
    },

    async set(key, value) {
      try {
        await retry.run(() => answerOf(clock, storage.setItem(key, encodeUtf8(value))));
      } catch (error) {
        throw new CwError('CW-701', 'secure storage refused a value', { cause: error });
      }
    },

    async remove(key) {
      try {
        await answerOf(clock, storage.removeItem(key));
      } catch (error) {
        // UXP before 9.0 also rejects for an absent key: it is a failure only if the value is still there.
        const left = await answerOf(clock, storage.getItem(key)).catch(() => null);
        if (left && left.length > 0) {
          throw new CwError('CW-701', 'secure storage kept a removed value', {
            cause: error,
          });
        }
      }
    },
  };
}

/** Whether the storage lists its keys, and this one is not among them. */
function isAbsent(storage: UxpModule['storage']['secureStorage'], key: string): boolean {
  try {
    const { length } = storage;
    return !Array.from({ length }, (_, index) => storage.key(index)).includes(key);
  } catch {
    return false;
  }
}
