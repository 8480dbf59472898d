import { Mutex } from '../../util/mutex.js';
import type { SecretStore } from '../../host/storage.js';
import { SECRET_KEYS } from '../session/session-codec.js';
import { readSignIn, writeSignIn, type StoredSignIn } from './sign-in-codec.js';

/** Keeps the sign-in in progress in secure storage. Nothing here throws: a sign-in continues when storage fails. */
export class SignInStore {
  private readonly storage = new Mutex();

  constructor(private readonly secrets: SecretStore) {}

  /** Reads the stored sign-in. `isEmpty` distinguishes an empty store from an unreadable sign-in. */
  async read(): Promise<{
    readonly isEmpty: boolean;
    readonly kept: StoredSignIn | null;
  }> {
    const text = await this.secrets.get(SECRET_KEYS.signIn).catch(() => null);
    return { isEmpty: text === null, kept: readSignIn(text) };
  }

  keep(signIn: StoredSignIn): Promise<void> {
    return this.change(() => this.secrets.set(SECRET_KEYS.signIn, writeSignIn(signIn)));
  }

  forget(): Promise<void> {
    return this.change(() => this.secrets.remove(SECRET_KEYS.signIn));
  }

  /** Makes changes in the order of their calls, so that the last one stays. */
  private change(write: () => Promise<void>): Promise<void> {
    return this.storage.run(write).catch(() => undefined);
  }
}
