import type { Credential } from './credential.js';

/** How many credentials are kept; the oldest are dropped first. One takes about a kilobyte. */
const MAX_KEPT = 5000;

/**
 * The refresh tokens that this process has issued last, so that the next refresh need not read them. The statement of the
 * exchange decides in any case whether a token is unused and its grant exists (token-exchange.ts). Rows of neither change
 * otherwise, while this process is the only one on the database.
 */
export class RecentCredentials {
  /** By the hash of the token. */
  private readonly kept = new Map<string, Credential>();

  keep(credential: Credential): void {
    this.kept.set(credential.id, credential);
    if (this.kept.size > MAX_KEPT) {
      for (const oldest of this.kept.keys()) {
        this.kept.delete(oldest);
        break;
      }
    }
  }

  /** Gives a credential once: after that its row may be marked as used. */
  take(id: string): Credential | undefined {
    const found = this.kept.get(id);
    this.kept.delete(id);
    return found;
  }
}
