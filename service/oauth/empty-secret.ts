import type { IncomingMessage } from 'node:http';
import type { WholeRequest } from '../http/whole-request.js';

/**
 * Takes `Authorization: Basic` with an id and an empty secret for what it says: a client that has no secret.
 * Several client libraries send it for public clients, and
 * [RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1) says that an empty secret may be
 * left out. The id moves to the body, where a public client states it (§3.2.1). A client that must have a
 * secret is then refused, as it would be without the header.
 *
 * Everything else is left to oidc-provider: another header, one that cannot be read, one beside a secret or
 * another id in the body.
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

/** Whether the client sent a header with an id and an empty secret. */
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
