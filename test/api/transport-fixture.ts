import { parseHttpUrl, type HttpUrl } from '../../src/util/url.js';
import type { HttpRequest, Xhr } from '../../src/host/http.js';

export const SECRET = 'svc_at_secret';

export function originOf(address: string): HttpUrl {
  const url = parseHttpUrl(address);
  if (!url) throw new Error(`${address} is no address`);
  return url;
}

export function get(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: { Authorization: `Bearer ${SECRET}` }, ...more };
}

/** An XMLHttpRequest whose events the test fires. */
export class ScriptedXhr implements Xhr {
  withCredentials = true;
  responseType: Xhr['responseType'] = '';
  response: unknown = null;
  status = 0;
  readyState: number | undefined = 0;
  responseText = '';
  responseURL = '';
  readonly upload: Xhr['upload'] = { onprogress: null };
  onprogress: Xhr['onprogress'] = null;
  onreadystatechange: (() => void) | null = null;
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;

  aborts = 0;
  isSent = false;
  readonly headers: [string, string][] = [];
  responseHeaders: Record<string, string> = {};
  throwAt: 'open' | 'setRequestHeader' | 'send' | null = null;

  open(): void {
    if (this.throwAt === 'open') throw new Error(`refused, with ${SECRET}`);
  }
  setRequestHeader(name: string, value: string): void {
    if (this.throwAt === 'setRequestHeader') throw new Error(`refused, with ${SECRET}`);
    this.headers.push([name, value]);
  }
  send(): void {
    if (this.throwAt === 'send') throw new Error(`refused, with ${SECRET}`);
    this.isSent = true;
  }
  /** As in the standard: fires `abort` at once during a request. */
  abort(): void {
    this.aborts += 1;
    if (this.aborts > 10) throw new Error('abort calls itself for ever');
    this.onabort?.();
  }
  getResponseHeader(name: string): string | null {
    return this.responseHeaders[name.toLowerCase()] ?? null;
  }
  state(readyState: number | undefined): void {
    this.readyState = readyState;
    this.onreadystatechange?.();
  }
}
