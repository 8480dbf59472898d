import type { BufferedRequest } from '../../kernel/http/request/buffered-request.js';

/**
 * The client id in `Authorization: Basic` with an empty secret: a client that has no secret. Several client libraries
 * send it for public clients, and [RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1) allows
 * leaving out an empty secret. The id then belongs into the body, where a public client states it (§3.2.1). A client
 * that must have a secret is refused, as without the header.
 *
 * Everything else is left to oidc-provider: another header, one that cannot be read, one in addition to a secret or
 * another id in the body.
 * @returns undefined for a request that has no such header
 */
export function clientOfEmptySecret({ form, headers }: BufferedRequest): string | undefined {
  const clientId = idWithEmptySecret(headers.authorization);
  if (clientId === undefined || form === undefined) {
    return undefined;
  }
  const isOther = form.getAll('client_id').some((stated) => stated !== clientId);
  return isOther || (form.get('client_secret') ?? '') !== '' ? undefined : clientId;
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
