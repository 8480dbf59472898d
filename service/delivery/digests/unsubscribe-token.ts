import type { MailLinks } from '../../kernel/mail/mail-declaration.js';
import { equalTexts } from '../../kernel/hash.js';
import { SHARES } from '../../site/addresses/share-paths.js';

/** Whom a mail went to, and about which link: a user, a guest whose address the studio entered, or the key of one for replies. */
type Recipient =
  | { readonly account: string; readonly share: string }
  | { readonly guest: string; readonly share: string }
  | { readonly replies: string; readonly share: string };

/** What the proof of each kind of recipient is for. */
const PURPOSES = {
  account: 'unsubscribe',
  guest: 'unsubscribe-guest',
  replies: 'unsubscribe-replies',
} as const;

type Kind = keyof typeof PURPOSES;

/** The address that ends the mails to a recipient about a link. It needs no session, and never expires. */
export function unsubscribeUrl(
  baseUrl: string,
  proof: MailLinks['proof'],
  recipient: Recipient,
): string {
  const [kind, id] = partsOf(recipient);
  const { share } = recipient;
  const query = new URLSearchParams({ [kind]: id, share, proof: proof(PURPOSES[kind], id, share) });
  return `${baseUrl}${SHARES.unsubscribe}?${query.toString()}`;
}

/** The recipient that an address names; undefined without the proof. */
export function readUnsubscribe(
  query: URLSearchParams,
  proof: MailLinks['proof'],
): Recipient | undefined {
  const share = query.get('share') ?? '';
  const [account, guest, replies] = [
    query.get('account'),
    query.get('guest'),
    query.get('replies'),
  ];
  const recipient: Recipient =
    replies !== null
      ? { replies, share }
      : guest !== null
        ? { guest, share }
        : { account: account ?? '', share };
  const [kind, id] = partsOf(recipient);
  return equalTexts(query.get('proof') ?? '', proof(PURPOSES[kind], id, share))
    ? recipient
    : undefined;
}

function partsOf(recipient: Recipient): [Kind, string] {
  return 'replies' in recipient
    ? ['replies', recipient.replies]
    : 'guest' in recipient
      ? ['guest', recipient.guest]
      : ['account', recipient.account];
}
