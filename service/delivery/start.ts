import type { Identity } from '../identity/index.js';
import type { Job } from '../kernel/jobs/jobs.js';
import type { Kernel } from '../kernel/kernel.js';
import { DAY_MS } from '../kernel/module.js';
import { expireGuests, GUEST_DAYS, type Library } from '../library/index.js';
import type { Oauth } from '../oauth/index.js';
import { contentRoutes } from './content/content-host.js';
import { digestMail, DigestTable, queueDigests, unsubscribeRoute } from './digests/index.js';
import { LogoTable } from './logos/logo-table.js';
import { logoRoutes } from './logos/routes.js';
import { ReceiptKeys } from './receipts/receipt-keys.js';
import { ReceiptWriter } from './receipts/receipt-writer.js';
import { receiptRoutes } from './receipts/routes.js';
import {
  confirmRepliesRoute,
  queueReplies,
  replyMails,
  SubscriptionTable,
} from './replies/index.js';
import { reminderMail, RESULT_MAIL, RoundTable, settleRounds } from './rounds/index.js';
import { SHARES } from '../site/addresses/share-paths.js';
import { shareApiRoutes } from './shares/api.js';
import { settleEndedShares } from './shares/ended-shares.js';
import { guestApiRoutes } from './shares/guest-api.js';
import { GuestCookie } from './shares/guest-cookie.js';
import { shareRoutes } from './shares/routes.js';
import { linkPictures } from './shares/link-pictures.js';
import { replyLinks } from './shares/reply-link.js';
import { roundLinks } from './shares/round-link.js';
import { ENDED_SHARE_DAYS } from './shares/share.js';
import { ShareCookie } from './shares/share-cookie.js';
import { SharePasswords } from './shares/share-passwords.js';
import { ShareTable } from './shares/share-table.js';

const EXPIRE_EVERY_MS = 5 * 60_000;
const DIGESTS_EVERY_MS = 10_000;
const ROUNDS_EVERY_MS = 10_000;

/** What the module gives to later ones. */
export type Delivery = ReturnType<typeof startDelivery>;

export function startDelivery(
  kernel: Kernel,
  { guard, accounts, audit, formTokens, help, mailProof }: Identity,
  { bearer }: Oauth,
  library: Library,
) {
  const { database, baseUrl, now, isSecure } = kernel;
  const shares = new ShareTable(database, formTokens, now);
  const logos = new LogoTable(database);
  const digests = new DigestTable(database, now);
  const rounds = new RoundTable(database, now);
  const subscriptions = new SubscriptionTable(database, now);
  const guests = new GuestCookie(formTokens, isSecure);
  const receiptKeys = new ReceiptKeys(database);
  const own = {
    ...kernel,
    ...library,
    guard,
    accounts,
    audit,
    bearer,
    shares,
    digests,
    rounds,
    subscriptions,
    guests,
    logos,
    sendsMail: help.sendsMail,
    proof: mailProof,
    linkOf: replyLinks(shares),
    passwords: new SharePasswords(kernel.limit, kernel.addressOf),
  };
  const ending: Job = {
    run: (signal) => settleEndedShares({ shares, audit }, signal),
    everyMs: EXPIRE_EVERY_MS,
    isCleanup: true,
  };
  const expiring: Job = {
    run: (signal) => expireGuests(own, (GUEST_DAYS - ENDED_SHARE_DAYS) * DAY_MS, signal),
    everyMs: EXPIRE_EVERY_MS,
    isCleanup: true,
  };
  const mailing: Job = {
    run: (signal) => queueDigests({ digests, now }, signal),
    everyMs: DIGESTS_EVERY_MS,
  };
  const settling: Job = {
    run: (signal) => settleRounds({ ...own, linkOf: roundLinks(own) }, signal),
    everyMs: ROUNDS_EVERY_MS,
  };
  const replying: Job = {
    run: (signal) => queueReplies(own, signal),
    everyMs: DIGESTS_EVERY_MS,
  };
  return {
    routes: [
      unsubscribeRoute({ ...own, replies: subscriptions }),
      confirmRepliesRoute(own),
      ...shareApiRoutes(own),
      ...guestApiRoutes(own),
      ...receiptRoutes({
        ...own,
        receiptKeys,
        receipts: new ReceiptWriter({ database, keys: receiptKeys, baseUrl, now }),
      }),
      ...logoRoutes(own),
      ...shareRoutes({
        ...own,
        cookie: new ShareCookie(formTokens, isSecure, now),
      }),
    ],
    /** The routes at the separate host of stored files, if there is one. */
    contentHost: library.content && {
      origin: library.content.origin,
      routes: contentRoutes({ ...own, addresses: library.content }),
    },
    jobs: [ending, expiring, mailing, replying, settling],
    mails: [
      digestMail(linkPictures(own)),
      ...replyMails(own),
      RESULT_MAIL,
      reminderMail(({ share, guest }) => {
        const invitation = guests.invitation({ id: share }, { id: guest });
        return `${baseUrl}${SHARES.shared(shares.tokenOf(share))}?guest=${invitation}`;
      }),
    ],
    logos,
  };
}
