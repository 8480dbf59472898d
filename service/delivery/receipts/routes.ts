import type { SessionGuard } from '../../identity/index.js';
import { OPEN, permit } from '../../kernel/http/permission.js';
import { sendPage } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { RECEIPTS } from '../../site/addresses/receipt-paths.js';
import { SELECTION_BODY_BYTES } from '../../library/index.js';
import { receiptApiRoutes, type ReceiptApiDeps } from './api.js';
import { MAX_RECEIPT_BYTES } from './receipt-check.js';
import { receiptOfList, receiptOfPhoto, type ReceiptDownloadDeps } from './receipt-downloads.js';
import { verifySent } from './verify.js';
import { verifyPage } from './verify-page.js';

export type ReceiptRoutesDeps = { readonly guard: SessionGuard } & ReceiptApiDeps &
  ReceiptDownloadDeps;

/** Room for the rest of a form with a file, in bytes. */
const FORM_BYTES = 4096;

/** Receipts: how users and programs get them, and the public page that verifies them. */
export function receiptRoutes(deps: ReceiptRoutesDeps): Route[] {
  const { guard } = deps;
  const list = receiptOfList(deps);
  return [
    ...receiptApiRoutes(deps),
    guard.file(RECEIPTS.list, { GET: list, POST: list }, { maxBodyBytes: SELECTION_BODY_BYTES }),
    guard.file(RECEIPTS.photo(':id'), { GET: receiptOfPhoto(deps) }),
    {
      path: RECEIPTS.verify,
      kind: 'page',
      trailingSlash: true,
      repeatsPage: true,
      maxBodyBytes: MAX_RECEIPT_BYTES + FORM_BYTES,
      handlers: permit(OPEN, {
        GET: (context) => {
          sendPage(context, 200, verifyPage());
          return Promise.resolve();
        },
        POST: (context) => verifySent(deps.receiptKeys, context),
      }),
    },
  ];
}
