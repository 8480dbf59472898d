import type { MailLinks } from '../../kernel/mail/mail-declaration.js';
import { equalTexts } from '../../kernel/hash.js';
import { SHARES } from '../../site/addresses/share-paths.js';

/** Whom a mail went to, a user or a guest, and about which link. */
type Recipient =
  | { readonly account: string; readonly share: string }
  | { readonly guest: string; readonly share: string };

/** The address that ends the mails to a user or a guest about a link. It needs no session, and never expires. */
export function unsubscribeUrl(
  baseUrl: string,
  proof: MailLinks['proof'],
  recipient: Recipient,
): string {
  const query = new URLSearchParams({
    ...('guest' in recipient ? { guest: recipient.guest } : { account: recipient.account }),
    share: recipient.share,
    proof: proofOf(proof, recipient),
  });
  return `${baseUrl}${SHARES.unsubscribe}?${query.toString()}`;
}

/** The recipient that an address names; undefined without the proof. */
export function readUnsubscribe(
  query: URLSearchParams,
  proof: MailLinks['proof'],
): Recipient | undefined {
  const share = query.get('share') ?? '';
  const guest = query.get('guest');
  const recipient: Recipient =
    guest === null ? { account: query.get('account') ?? '', share } : { guest, share };
  return equalTexts(query.get('proof') ?? '', proofOf(proof, recipient)) ? recipient : undefined;
}

function proofOf(proof: MailLinks['proof'], recipient: Recipient): string {
  return 'guest' in recipient
    ? proof('unsubscribe-guest', recipient.guest, recipient.share)
    : proof('unsubscribe', recipient.account, recipient.share);
}
