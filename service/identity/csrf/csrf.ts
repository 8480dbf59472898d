import { createHmac } from 'node:crypto';
import { equalTexts } from '../../kernel/hash.js';

/**
 * Anti-forgery tokens for forms, and proofs in cookies. A token is an HMAC, which only this service can make,
 * over what ties the form to one browser (a session, an interaction or a cookie). Nothing is stored, so every
 * open tab keeps working.
 */
export class CsrfTokens {
  /** @param key a secret of the service, the same in all processes. */
  constructor(private readonly key: string) {}

  /** @param purpose a token made for one purpose does not match for another. */
  make(
    purpose:
      | 'interaction'
      | 'device'
      | 'settings'
      | 'sign-in'
      | 'known-browser'
      | 'passkey'
      | 'password-epoch'
      | 'password-proof'
      | 'share-form'
      | 'share-open'
      | 'share-link'
      | 'share-guest'
      | 'share-invitation'
      | 'share-answer'
      | 'share-play'
      | 'content'
      | 'invitation'
      | 'reset'
      | 'email'
      | 'mail'
      | 'company'
      | 'company-domain',
    ...tiedTo: readonly string[]
  ): string {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([purpose, ...tiedTo]))
      .digest('base64url');
  }

  matches(given: string | null, expected: string): boolean {
    return given !== null && equalTexts(given, expected);
  }
}
