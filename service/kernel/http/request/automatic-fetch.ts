import type { IncomingHttpHeaders } from 'node:http';

/** Programs that fetch a page for the preview card of a link. They do not send what a person has chosen. */
const PREVIEW_PROGRAM =
  /facebookexternalhit|^whatsapp\/|^viber|snap url preview|uripreview|urlpreview|linkpreview|(?<!\bcu)bot\b|crawler|spider|kakaotalk-scrap|vkshare|iframely|embedly|cardyb|mattermost|rocket\.chat|^synapse\b|^signal\b|ms-office|microsoft office|bingpreview|imageproxy|yahoomailproxy|slack-imgproxy/i;

/**
 * Whether nobody has chosen to open this address: a browser fetches it in advance
 * ([Sec-Purpose](https://fetch.spec.whatwg.org/#sec-purpose-header), and `Purpose`, `X-Purpose` and `X-Moz` of older
 * ones), or a messenger for its preview card.
 */
export function isAutomaticFetch(headers: IncomingHttpHeaders): boolean {
  const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => headers[name]);
  return (
    purposes.some((purpose) => /prefetch|prerender|preview/i.test(String(purpose ?? ''))) ||
    PREVIEW_PROGRAM.test(headers['user-agent'] ?? '')
  );
}
