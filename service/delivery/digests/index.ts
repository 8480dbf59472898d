/** Mails about feedback: who has finished, what is due, and who wants none. */
export { digestMail, queueDigests } from './digest-mail.js';
export {
  DigestTable,
  hideFinishes,
  MAX_SENTENCE,
  MAX_DELAY_MS,
  recordFeedback,
  SILENCE_MS,
  type Finish,
} from './digest-table.js';
export { finishButton, finishPage } from './finish-page.js';
export { studioMail } from './studio-mail.js';
export { unsubscribeRoute } from './unsubscribe.js';
export { unsubscribeUrl } from './unsubscribe-token.js';
