import { createHmac } from 'node:crypto';
import { equalTexts } from '../hash.js';

/**
 * Anti-forgery tokens for forms, and for cookies of which the service stores nothing. A token is a code
 * that only this service can make, from what ties the form to one browser (its session or its interaction).
 * Nothing is stored, so every open tab keeps working.
 */
export class FormTokens {
  /** @param key a secret of the service, the same in all processes. */
  constructor(private readonly key: string) {}

  /** @param purpose keeps tokens of one kind of form from working on another. */
  make(
    purpose:
      | 'interaction'
      | 'device'
      | 'settings'
      | 'sign-in'
      | 'known-browser'
      | 'share-form'
      | 'share-open'
      | 'content'
      | 'invitation'
      | 'reset',
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
