import { compactVerify, createLocalJWKSet, errors } from 'jose';
import type { ReceiptKeys } from './receipt-keys.js';
import { readPayload, RECEIPT_ALGORITHM, RECEIPT_TYPE, type Receipt } from './receipt.js';

/** The longest receipt that the page without scripts takes, in bytes: some 10,000 photos with usual names. */
export const MAX_RECEIPT_BYTES = 8 * 1024 * 1024;

/**
 * Verifies a receipt.
 * @returns `changed` if no key of this service has signed these bytes; `no receipt` for anything that is no receipt
 */
export async function checkReceipt(
  keys: Pick<ReceiptKeys, 'published'>,
  text: string,
): Promise<Receipt | 'changed' | 'no receipt'> {
  const jws = text.trim();
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jws)) {
    return 'no receipt';
  }
  try {
    const { payload, protectedHeader } = await compactVerify(
      jws,
      createLocalJWKSet(await keys.published()),
      { algorithms: [RECEIPT_ALGORITHM] },
    );
    const receipt = protectedHeader.typ === RECEIPT_TYPE ? readPayload(payload) : undefined;
    return receipt ?? 'no receipt';
  } catch (error) {
    if (error instanceof errors.JOSEError) {
      return 'changed';
    }
    throw error;
  }
}
