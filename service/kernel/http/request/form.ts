import { isAscii, isUtf8 } from 'node:buffer';
import { mediaTypeIn } from './media-type.js';
import { readParameters } from './parameters.js';

/**
 * Reads a body as `application/x-www-form-urlencoded`, which is always in UTF-8
 * ([RFC 6749 appendix B](https://www.rfc-editor.org/rfc/rfc6749#appendix-B)).
 * @returns the form; a problem, in words for the answer, when it cannot be read; undefined for a body of another type.
 */
export function formOf(
  contentType: string | undefined,
  body: Buffer,
): URLSearchParams | { readonly problem: string } | undefined {
  if (mediaTypeIn(contentType) !== 'application/x-www-form-urlencoded') {
    return undefined;
  }
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType ?? '') ?? [];
  if (!/^utf-?8$/i.test(charset) && !isAsciiIn(charset, body)) {
    return { problem: 'the form must be in UTF-8' };
  }
  // A lone % replaces a body that is not UTF-8: it is not well-formed either.
  const form = readParameters(isUtf8(body) ? body.toString() : '%');
  return form ?? { problem: 'the form is malformed' };
}

/**
 * Reads a body as `multipart/form-data` with one file at most
 * ([RFC 7578](https://www.rfc-editor.org/rfc/rfc7578)).
 * @returns undefined for a body of another type, and for one that cannot be read.
 */
export async function formWithFile(
  contentType: string | undefined,
  body: Buffer,
): Promise<{ readonly form: URLSearchParams; readonly file: Buffer | undefined } | undefined> {
  if (mediaTypeIn(contentType) !== 'multipart/form-data') {
    return undefined;
  }
  const headers = { 'content-type': contentType ?? '' };
  const data = await new Response(new Uint8Array(body), { headers })
    .formData()
    .catch(() => undefined);
  const form = new URLSearchParams();
  let file: Buffer | undefined;
  for (const [name, value] of data ?? []) {
    if (typeof value === 'string') {
      form.append(name, value);
    } else {
      file ??= Buffer.from(await value.arrayBuffer());
    }
  }
  return data && { form, file };
}

/** Whether a form means the same in another character set as in UTF-8: it has only ASCII, also where it is encoded. */
function isAsciiIn(charset: string, body: Buffer): boolean {
  const isWide = /^(utf-?(16|32)|ucs)/i.test(charset);
  return !isWide && isAscii(body) && !/%[89a-f]/i.test(body.toString('latin1'));
}
