import type { ServerResponse } from 'node:http';
import { sendStatus } from '../../kernel/http/responses.js';
import { ADDRESS_STEP_SECONDS, type ContentAddresses, type ContentGrant } from './content-urls.js';

/** Redirects to the host of stored files. The caller has checked that the recipient may see the photo. */
export function redirectToContent(
  addresses: ContentAddresses,
  grant: ContentGrant,
  response: ServerResponse,
): void {
  response.setHeader('Location', addresses.make(grant));
  // Pages show the same pictures again and again. The address is valid for longer than the redirect is cached.
  const keep = grant.variant === 'file' ? 'no-store' : `private, max-age=${ADDRESS_STEP_SECONDS}`;
  response.setHeader('Cache-Control', keep);
  response.setHeader('Content-Length', '0');
  sendStatus(response, 302);
}
