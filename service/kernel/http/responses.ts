import type { ServerResponse } from 'node:http';
import { contentSecurityPolicy, layout, type ClientAddresses, type Page } from '../html/layout.js';
import type { PageLocale } from '../i18n/page-locale.js';

/** Answers with JSON, which is not cached unless the caller has set `Cache-Control`. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  if (!response.hasHeader('Cache-Control')) {
    response.setHeader('Cache-Control', 'no-store');
  }
  response.end(text);
}

/** Answers without a body. */
export function sendStatus(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}

/**
 * Answers with an error in the form of [RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2), which the
 * whole API uses.
 * @param error the name of the error, for programs.
 * @param description a text for developers.
 */
export function sendError(
  response: ServerResponse,
  status: number,
  error: string,
  description: string,
): void {
  sendJson(response, status, { error, error_description: description });
}

/** The response of a page, and the request data that the page depends on. */
export interface PageTarget {
  readonly response: ServerResponse;
  readonly locale: PageLocale;
  /** Another origin that may show pictures on a page: addresses of ours may redirect there. Undefined for none. */
  readonly pictureOrigins: readonly string[];
  /** The scripts of pages; undefined where pages have none. */
  readonly clientFiles: ClientAddresses | undefined;
}

/** Answers with a page. @param formTarget see {@link contentSecurityPolicy}. */
export function sendPage(
  target: PageTarget,
  status: number,
  page: Page,
  formTarget?: string,
): void {
  const { response } = target;
  const text = writePage(target, page, formTarget);
  response.statusCode = status;
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Sets the headers of a page. @returns its HTML in the language of its reader; the caller sends it. */
export function writePage(
  { response, locale, pictureOrigins, clientFiles }: PageTarget,
  page: Page,
  formTarget?: string,
): string {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Language', locale.language);
  response.setHeader(
    'Content-Security-Policy',
    contentSecurityPolicy(formTarget, {
      showsPictures: page.showsPictures,
      pictureOrigins,
      hasScript: page.client !== undefined && clientFiles !== undefined,
    }),
  );
  if (locale.menu?.cookie !== undefined) {
    response.appendHeader('Set-Cookie', locale.menu.cookie);
  }
  return layout(page, locale, clientFiles).toString();
}

/**
 * Sets the headers of every page. They forbid browsers to cache it, to show it in a shell, to guess its type, and to
 * send its address to other sites.
 */
export function setPageSecurityHeaders(response: ServerResponse): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()');
  response.setHeader('Content-Security-Policy', contentSecurityPolicy());
  // The language of the page depends on these request headers.
  response.setHeader('Vary', 'Accept-Language, Cookie');
}

/** Redirects the browser to another page of ours, which it requests by GET. */
export function sendRedirect(response: ServerResponse, path: string): void {
  response.statusCode = 303;
  response.setHeader('Location', path);
  response.setHeader('Content-Length', '0');
  response.end();
}
