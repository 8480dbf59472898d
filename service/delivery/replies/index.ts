/** Replies of the studio by mail, to guests who asked for them and confirmed their address. */
export { confirmRepliesRoute } from './confirm-route.js';
export { repliesLink, repliesPage } from './replies-page.js';
export { queueConfirmation, queueReplies, replyMails, type ReplyLink } from './reply-mails.js';
export {
  CONFIRM_HOURS,
  recordReply,
  SubscriptionTable,
  suspendReplies,
  type Subscription,
} from './subscription-table.js';
