import { newSecret } from '../../kernel/hash.js';
import { isTail } from '../../site/addresses/share-paths.js';

/** The prefix of a link's token: for an invitation, a password reset, or the confirmation of an e-mail address. */
export type LinkPrefix = 'svc_inv_' | 'svc_rst_' | 'svc_eml_';

/** Makes the token of a link: the prefix and 256 random bits in base64url. */
export function makeLinkToken(prefix: LinkPrefix): string {
  return prefix + newSecret();
}

/**
 * Reads a token from an address. Programs that make addresses clickable may have added the punctuation behind it.
 * @returns undefined for a text that is no token.
 */
export function readLinkToken(text: string, prefix: LinkPrefix): string | undefined {
  const length = prefix.length + 43;
  const token = text.slice(0, length);
  return isLinkToken(token, prefix) && isTail(text.slice(length)) ? token : undefined;
}

/** Whether a text has the form of a token that {@link makeLinkToken} makes. */
export function isLinkToken(text: string, prefix: LinkPrefix): boolean {
  return text.startsWith(prefix) && /^[\w-]{43}$/.test(text.slice(prefix.length));
}
