import { errors, Provider } from 'oidc-provider';
import type { Repeat } from './refresh-retries.js';

/**
 * Refuses a repeated refresh that must not be answered again.
 * @throws {OIDCProviderError} what the client is told
 */
export function refuseRepeat(repeat: Repeat): void {
  if (repeat.kind === 'duplicate') {
    throw new errors.InvalidGrant('what this refresh gave is in use already');
  }
  if (repeat.kind === 'too many') {
    Provider.ctx?.set('Retry-After', String(repeat.waitSeconds));
    throw new TooManyRetries();
  }
}

/** One refresh was asked for again too often ([RFC 6585 §4](https://www.rfc-editor.org/rfc/rfc6585#section-4)). */
class TooManyRetries extends errors.OIDCProviderError {
  constructor() {
    super(429, 'temporarily_unavailable');
    this.error_description = 'this refresh was repeated too often';
  }
}
