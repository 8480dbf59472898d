import type { IncomingMessage } from 'node:http';
import type { WholeRequest } from '../http/whole-request.js';

/**
 * Reads `Authorization: Basic` with an id and an empty secret as what it says: the client's id, and no
 * secret. [RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1) lets a client leave an
 * empty secret out, and several client libraries authenticate public clients in this way. The id moves to
 * the body, where the RFC wants it for a public client (§3.2.1); one that must have a secret is then
 * refused like without any.
 *
 * Everything else stays as it is, for oidc-provider to judge: another header, a header that makes no sense,
 * a secret in the body as well, another id in the body.
 */
export function identifyByEmptySecret(request: WholeRequest): WholeRequest {
  const { form } = request;
  const clientId = idWithEmptySecret(request.headers.authorization);
  if (clientId === undefined || form === undefined) {
    return request;
  }
  const stated = form.getAll('client_id');
  if (stated.some((one) => one !== clientId) || (form.get('client_secret') ?? '') !== '') {
    return request;
  }
  const identified = new URLSearchParams(form);
  identified.set('client_id', clientId);
  const result = request.with(identified, { authorization: undefined });
  emptySecrets.add(result);
  return result;
}

const emptySecrets = new WeakSet<IncomingMessage>();

/** Whether the client showed itself by a header with an id and an empty secret. */
export function showedEmptySecret(request: IncomingMessage): boolean {
  return emptySecrets.has(request);
}

function idWithEmptySecret(authorization: string | undefined): string | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) {
    return undefined;
  }
  const id = /^([\x21-\x7e]+):$/.exec(Buffer.from(encoded, 'base64').toString('latin1'))?.[1];
  try {
    return id === undefined || id.includes(':') ? undefined : decodeId(id);
  } catch {
    return undefined;
  }
}

/** @throws {URIError} */
function decodeId(id: string): string | undefined {
  const decoded = decodeURIComponent(id.replace(/\+/g, ' '));
  return /^[\x20-\x7e]+$/.test(decoded) ? decoded : undefined;
}
