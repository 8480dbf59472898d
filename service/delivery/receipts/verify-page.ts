import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { page, type Page } from '../../kernel/html/layout.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import { RECEIPT_KEYS_PATH, RECEIPTS } from '../../site/addresses/receipt-paths.js';
import { placeLabel } from '../../library/index.js';
import type { Receipt, ReceiptFeedback, ReceiptUpload } from './receipt.js';

/** How many photos of a receipt the page shows. */
const MAX_SHOWN = 1000;

/** The server's result for a receipt that was sent without a script. */
export type Verdict = Receipt | 'changed' | 'no receipt';

/**
 * The public page that verifies receipts. With a script, receipt and photos stay in the browser; `service/client/receipt.ts`
 * has the words from here. Without one, the receipt alone is sent to the server.
 */
export function verifyPage(verdict?: Verdict): Page {
  return page(
    'verifyReceipt',
    (translator) =>
      html`<h1>${translator.t('verifyReceipt')}</h1>
        <p>${translator.t('verifyReceiptText')}</p>
        ${verdict === undefined ? undefined : outcome(translator, verdict)} ${dropArea(translator)}
        <form
          method="post"
          action="${RECEIPTS.verify}"
          enctype="multipart/form-data"
          class="without-script"
        >
          <label for="receipt">${translator.t('receiptFile')}</label>
          <input type="file" id="receipt" name="receipt" accept=".jws,application/jose" required />
          <button type="submit">${translator.t('verify')}</button>
          <p class="soft small">${translator.t('verifyWithoutScripts')}</p>
        </form>`,
    { width: 'wide', client: 'receipt' },
  );
}

function dropArea(translator: Translator): Html {
  return html`<div
      class="drop needs-script"
      data-keys="${RECEIPT_KEYS_PATH}"
      data-signed="${translator.t('receiptSigned', { issuer: '{issuer}' })}"
      data-about="${translator.t('receiptAbout', { workspace: '{workspace}', user: '{user}' })}"
      data-changed="${translator.t('receiptChanged')}"
      data-no-receipt="${translator.t('noReceipt')}"
      data-missing="${translator.t('receiptMissing')}"
      data-failed="${translator.t('didNotWorkSentence')}"
      data-reading="${translator.t('checkingFile')}"
      data-unreadable="${translator.t('fileUnreadable')}"
      data-unchanged="${translator.t('unchangedSince', { time: '{time}' })}"
      data-different="${translator.t('differentFromReceipt')}"
      data-absent="${translator.t('notInReceipt')}"
      data-left="${translator.t('notChecked', { count: '{count}' })}"
    >
      <p>${translator.t('dropReceipt')}</p>
      <label class="button"><input type="file" multiple />${translator.t('chooseFiles')}</label>
      <p class="soft small">${translator.t('filesStayHere')}</p>
    </div>
    <div class="verdict" aria-live="polite"></div>
    <ul class="rows checked"></ul>`;
}

function outcome(translator: Translator, verdict: Verdict): Html {
  if (typeof verdict === 'string') {
    const words: PlainKey = verdict === 'changed' ? 'receiptChanged' : 'noReceipt';
    return html`<p class="problem" role="alert">${translator.t(words)}</p>`;
  }
  const { iss, iat, workspace, issued_to: user, uploads } = verdict;
  const hasMore = uploads.length > MAX_SHOWN;
  return html`<div class="good">
      <p role="status">${translator.html('receiptSigned', { issuer: iss })}</p>
    </div>
    <p>
      ${translator.html('receiptAbout', { workspace, user })} ·
      ${translator.time(new Date(iat * 1000))}
    </p>
    <h2>${translator.t('photosInReceipt')}</h2>
    <ul class="rows">
      ${uploads.slice(0, MAX_SHOWN).map((upload) => row(translator, upload))}
    </ul>
    ${hasMore ? html`<p class="soft">${translator.t('firstShown', { count: MAX_SHOWN })}</p>` : undefined}`;
}

/** A decision or a comment. Such as "Comment by Anna · Page 3". */
function feedbackLine(translator: Translator, feedback: ReceiptFeedback): Html {
  const { kind, by: name, at, page, start, end } = feedback;
  const sentence =
    kind === 'approval'
      ? html`✓ ${name === '' ? translator.t('approved') : translator.html('approvedBy', { name })}`
      : translator.html(kind === 'changes' ? 'changesBy' : 'commentBy', { name });
  const label = placeLabel(translator, {
    ...(page !== undefined && { page }),
    ...(start !== undefined && { startMs: start * 1000 }),
    ...(end !== undefined && { endMs: end * 1000 }),
  });
  return html`<p class="small">
    ${sentence} ${label === undefined ? undefined : `· ${label}`} · ${translator.time(new Date(at))}
  </p>`;
}

function row(
  translator: Translator,
  { name, size, sha256, uploaded, feedback = [] }: ReceiptUpload,
): Html {
  return html`<li>
    <div>
      <h3>${verbatim(name)}</h3>
      <p class="small soft">
        ${translator.exactBytes(size)} ·
        ${translator.html('uploadedAt', { time: translator.time(new Date(uploaded)) })}
      </p>
      <p class="small"><code translate="no">${sha256}</code></p>
      ${feedback.slice(0, MAX_SHOWN).map((one) => feedbackLine(translator, one))}
    </div>
  </li>`;
}
