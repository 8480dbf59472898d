import { SerialRunner } from '../base/serial.js';
import type { SecretStore } from '../host/host.js';
import { readSignIn, SECRET_KEYS, writeSignIn, type StoredSignIn } from './stored-tokens.js';

/** The sign-in in progress as it lies in secure storage. Storage that fails does not stop a sign-in: nothing here throws. */
export class KeptSignIn {
  private readonly storage = new SerialRunner();

  constructor(private readonly secrets: SecretStore) {}

  /** Reads what lies there. `isEmpty` tells "nothing" from "something that cannot be read". */
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

  /** Changes storage in the order asked for, so that the last change is the one that stays. */
  private change(write: () => Promise<void>): Promise<void> {
    return this.storage.run(write).catch(() => undefined);
  }
}
