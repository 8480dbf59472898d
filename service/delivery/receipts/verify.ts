import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage } from '../../kernel/http/responses.js';
import { checkReceipt } from './receipt-check.js';
import type { ReceiptKeys } from './receipt-keys.js';
import { verifyPage } from './verify-page.js';

/** Answers the form of browsers without scripts. Only what this service has signed is shown. */
export async function verifySent(keys: ReceiptKeys, context: BufferedContext): Promise<void> {
  const text = await sentReceipt(context);
  const verdict = await checkReceipt(keys, text);
  sendPage(context, typeof verdict === 'string' ? 400 : 200, verifyPage(verdict));
}

/** The file in the form; empty if there is none. */
async function sentReceipt({ request, body }: BufferedContext): Promise<string> {
  try {
    const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
    const file = (await new Response(new Uint8Array(body), { headers }).formData()).get('receipt');
    return file instanceof File ? await file.text() : '';
  } catch {
    return '';
  }
}
