import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { readParameters } from './parameters.js';
import { WholeRequest } from './whole-request.js';

/**
 * Reads a body as `application/x-www-form-urlencoded`, which is always in UTF-8
 * ([RFC 6749 appendix B](https://www.rfc-editor.org/rfc/rfc6749#appendix-B)).
 * @returns the form; a problem, in words for the answer, when it cannot be read; undefined for a body of another type.
 */
export function formOf(
  contentType: string | undefined,
  body: Buffer,
): URLSearchParams | { readonly problem: string } | undefined {
  const [type = '', ...settings] = (contentType ?? '').split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'application/x-www-form-urlencoded') {
    return undefined;
  }
  const charset = settings.find((setting) => /^charset=/i.test(setting));
  if (charset !== undefined && !/^charset="?utf-?8"?$/i.test(charset)) {
    return { problem: 'the form must be in UTF-8' };
  }
  // A lone % stands for a body that is not UTF-8: it is not well-formed either.
  const form = readParameters(isUtf8(body) ? body.toString() : '%');
  return form ?? { problem: 'the form is not well-formed' };
}

/**
 * The form in a request, as the front has read and checked it. It is empty when the body is no form; handlers then
 * refuse the request, since the anti-forgery token is missing.
 */
export function formIn(request: IncomingMessage): URLSearchParams {
  const form = request instanceof WholeRequest ? request.form : undefined;
  return form ?? new URLSearchParams();
}
