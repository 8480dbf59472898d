import type { IncomingMessage } from 'node:http';

/** A sign-in or consent form is far smaller; oidc-provider limits the bodies it reads by itself. */
const MAX_FORM_BYTES = 16 * 1024;

/**
 * Reads a form posted as `application/x-www-form-urlencoded`. A body of another type, or one that
 * is too large, reads as an empty form: it then lacks the anti-forgery token and is refused.
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const type = request.headers['content-type'] ?? '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_FORM_BYTES) chunks.push(chunk);
  }
  const readable = size <= MAX_FORM_BYTES && /^application\/x-www-form-urlencoded\b/i.test(type);
  return new URLSearchParams(readable ? Buffer.concat(chunks).toString('utf8') : '');
}
