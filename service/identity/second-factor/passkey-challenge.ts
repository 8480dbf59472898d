import { randomBytes } from 'node:crypto';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import type { CsrfTokens } from '../csrf/csrf.js';

/** How long a challenge is valid, in milliseconds. It must not exceed the window of the limit that makes it single-use. */
const CHALLENGE_MS = 15 * 60_000;

/**
 * Challenges for passkeys ([WebAuthn §13.4.3](https://www.w3.org/TR/webauthn-3/#sctn-cryptographic-challenges)). They are
 * made for one form, so nothing is stored until one is used. Each is accepted once.
 */
export class PasskeyChallenges {
  constructor(
    private readonly formTokens: CsrfTokens,
    private readonly limit: RateLimiter,
    private readonly now: () => Date,
  ) {}

  /** Makes a challenge, in base64url. @param csrf the anti-forgery token of the form that will carry the answer. */
  make(csrf: string): string {
    const ends = String(this.now().getTime() + CHALLENGE_MS);
    const nonce = randomBytes(16).toString('base64url');
    const text = [ends, nonce, this.mac(csrf, ends, nonce)].join('.');
    return Buffer.from(text).toString('base64url');
  }

  /** Accepts a challenge of this form once, until it expires. */
  async accept(challenge: string, csrf: string): Promise<boolean> {
    const text = Buffer.from(challenge, 'base64url').toString();
    const [, ends = '', nonce = '', mac = ''] = /^(\d+)\.([\w-]+)\.([\w-]+)$/.exec(text) ?? [];
    const isOurs = this.formTokens.matches(mac, this.mac(csrf, ends, nonce));
    if (!isOurs || Number(ends) <= this.now().getTime()) {
      return false;
    }
    const used = await this.limit.consume([{ key: ['passkey challenges', nonce], max: 1 }]);
    return !('waitSeconds' in used);
  }

  private mac(csrf: string, ends: string, nonce: string): string {
    return this.formTokens.make('passkey', csrf, ends, nonce);
  }
}
