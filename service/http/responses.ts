import type { ServerResponse } from 'node:http';
import type { Html } from '../pages/html.js';
import { contentSecurityPolicy } from '../pages/layout.js';

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'no-store');
  response.end(text);
}

/** Answers with an error in the form of RFC 6749 §5.2, which the whole API shares. */
export function sendError(
  response: ServerResponse,
  status: number,
  error: string,
  description: string,
): void {
  sendJson(response, status, { error, error_description: description });
}

/** Answers with a page. `formTarget`: see {@link contentSecurityPolicy}. */
export function sendPage(
  response: ServerResponse,
  status: number,
  page: Html,
  formTarget?: string,
): void {
  const text = page.toString();
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Content-Security-Policy', contentSecurityPolicy(formTarget));
  response.end(text);
}

/** Headers of every page: not cached, not framed, not sniffed, no address passed on. */
export function setPageSecurityHeaders(response: ServerResponse): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('X-Frame-Options', 'DENY');
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
  response.setHeader('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=()');
  response.setHeader('Content-Security-Policy', contentSecurityPolicy());
}

/** Sends the browser on to another page of ours, by GET. */
export function sendRedirect(response: ServerResponse, path: string): void {
  response.statusCode = 303;
  response.setHeader('Location', path);
  response.setHeader('Content-Length', '0');
  response.end();
}
