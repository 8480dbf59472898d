import type { ServerResponse } from 'node:http';
import { sendNothing } from '../http/responses.js';
import {
  ADDRESS_STEP_SECONDS,
  type ContentAddresses,
  type ContentGrant,
} from './content-addresses.js';

/** Sends somebody who has the permission on to the host of stored files. */
export function sendOnToContent(
  addresses: ContentAddresses,
  grant: ContentGrant,
  response: ServerResponse,
): void {
  response.setHeader('Location', addresses.make(grant));
  // A list asks for the same small pictures again and again; the address is good for longer than this.
  const keep =
    grant.variant === 'thumbnail' ? `private, max-age=${ADDRESS_STEP_SECONDS}` : 'no-store';
  response.setHeader('Cache-Control', keep);
  response.setHeader('Content-Length', '0');
  sendNothing(response, 302);
}
