/** Paths of receipts. */
export const RECEIPTS = {
  /** The receipt of a list, or of photos that are ticked in it. */
  list: '/photos/receipt',
  photo: (id: string) => `/photos/${id}/receipt`,
  /** The public page that checks a receipt. */
  verify: '/receipts/verify',
} as const;

export const RECEIPTS_API_PATH = '/api/v1/receipts';

/** The public keys of receipts, as a JWK Set. */
export const RECEIPT_KEYS_PATH = '/api/v1/receipts/keys';
