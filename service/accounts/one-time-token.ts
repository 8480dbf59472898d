import { newSecret } from '../hash.js';

/** What the secret of a link begins with, by what the link is for. */
export type LinkPrefix = 'svc_inv_' | 'svc_rst_';

/** A secret of 256 random bits for a link. */
export function makeLinkToken(prefix: LinkPrefix): string {
  return prefix + newSecret();
}

/** Whether a text looks like such a secret. */
export function isLinkToken(text: string, prefix: LinkPrefix): boolean {
  return text.startsWith(prefix) && /^[\w-]{43}$/.test(text.slice(prefix.length));
}
