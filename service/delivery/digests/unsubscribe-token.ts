import type { MailLinks } from '../../kernel/mail/mail-declaration.js';
import { equalTexts } from '../../kernel/hash.js';
import { SHARES } from '../../site/addresses/share-paths.js';

/** Whom a mail went to, and about which link. */
interface Recipient {
  readonly account: string;
  readonly share: string;
}

/** The address that ends the mails to a user about a link. It needs no session, and never expires. */
export function unsubscribeUrl(
  baseUrl: string,
  proof: MailLinks['proof'],
  { account, share }: Recipient,
): string {
  const query = new URLSearchParams({ account, share, proof: proofOf(proof, { account, share }) });
  return `${baseUrl}${SHARES.unsubscribe}?${query.toString()}`;
}

/** The recipient that an address names; undefined without the proof. */
export function readUnsubscribe(
  query: URLSearchParams,
  proof: MailLinks['proof'],
): Recipient | undefined {
  const recipient = { account: query.get('account') ?? '', share: query.get('share') ?? '' };
  return equalTexts(query.get('proof') ?? '', proofOf(proof, recipient)) ? recipient : undefined;
}

function proofOf(proof: MailLinks['proof'], { account, share }: Recipient): string {
  return proof('unsubscribe', account, share);
}
