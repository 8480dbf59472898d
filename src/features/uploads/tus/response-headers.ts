/**
 * The headers of a response that describe a complete upload.
 * @packageDocumentation
 */
import { shortHeader, type HeaderOf } from '../../../api/repr-digest.js';
import type { PhotoVersion } from '../../queue/index.js';
import { sanitizeDisplayName } from '../../../util/sanitize-display-name.js';
import { parseHttpUrl } from '../../../util/url.js';

/** Longer addresses of pages are ignored. */
const MAX_ADDRESS_LENGTH = 2_000;
/** A link with its parameters ([RFC 8288 §3](https://www.rfc-editor.org/rfc/rfc8288#section-3)). */
const LINK = /<([^<>"]*)>((?:\s*;\s*[a-z*]+\s*=\s*(?:"[^"]*"|[^\s;,"]+))*)/gi;

/**
 * The page that shows the photo in a browser: the first `Link` with `rel=alternate` and the type `text/html`.
 * @param service  an address of the service: links to other origins are ignored
 * @returns an absolute address on the origin of `service`; null when there is none
 */
export function readPageUrl(headerOf: HeaderOf, service: string): string | null {
  const origin = parseHttpUrl(service)?.origin;
  for (const [, target = '', parameters = ''] of (shortHeader(headerOf, 'Link') ?? '').matchAll(
    LINK,
  )) {
    const relations = parameterOf(parameters, 'rel')?.toLowerCase().split(/\s+/) ?? [];
    if (!relations.includes('alternate') || parameterOf(parameters, 'type') !== 'text/html') {
      continue;
    }
    const page = parseHttpUrl(/^\/(?!\/)/.test(target) ? `${origin ?? ''}${target}` : target);
    if (page?.origin === origin && page && page.href.length <= MAX_ADDRESS_LENGTH) {
      return page.href;
    }
  }
  return null;
}

/** `Photo-Version`: an integer, with a display string ([RFC 9651 §3.3.8](https://www.rfc-editor.org/rfc/rfc9651#section-3.3.8)). */
const VERSION = /^\s*(\d{1,9})\s*;\s*of=%"([^"]*)"\s*$/;
const MAX_NAME_LENGTH = 255;

/** Which version of a photo a complete upload is; nothing for a first one, and for a header that cannot be read. */
export function readPhotoVersion(headerOf: HeaderOf): { readonly version?: PhotoVersion } {
  const [, digits, encoded = ''] = VERSION.exec(shortHeader(headerOf, 'Photo-Version') ?? '') ?? [];
  const number = Number(digits);
  let of: string | null = null;
  try {
    of = sanitizeDisplayName(decodeURIComponent(encoded), MAX_NAME_LENGTH);
  } catch {
    // Not UTF-8.
  }
  return number >= 2 && of !== null ? { version: { number, of } } : {};
}

function parameterOf(parameters: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;,"]+))`, 'i').exec(parameters);
  return match?.[1] ?? match?.[2] ?? null;
}
