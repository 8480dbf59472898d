import { IncomingMessage } from 'node:http';
import type { PageLocale } from '../../i18n/page-locale.js';
import type { PageTarget } from '../responses.js';
import type { RequestTarget } from './request-target.js';

/** A parsed request. It replaces the client's own. */
export interface ParsedRequest {
  readonly method: string;
  readonly target: RequestTarget;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
  readonly form: URLSearchParams | undefined;
  /** How pages in the response are written: oidc-provider hands only the request to the code that makes them. */
  readonly locale: PageLocale;
  readonly clientFiles: PageTarget['clientFiles'];
}

/**
 * A complete and checked request, as oidc-provider needs it. Its body can be read at once, so readers never wait for a
 * slow client.
 */
export class BufferedRequest extends IncomingMessage {
  readonly target: RequestTarget;
  /** The form in the body; undefined if the body is no form. */
  readonly form: URLSearchParams | undefined;
  readonly locale: PageLocale;
  readonly clientFiles: PageTarget['clientFiles'];
  /** The method as it was sent. A HEAD is handled as GET, and a header may replace the method. */
  readonly sentMethod: string;

  /** @param original the request as it came; it gives the connection and the HTTP version. */
  constructor(original: IncomingMessage, parsed: ParsedRequest) {
    super(original.socket);
    this.httpVersion = original.httpVersion;
    this.httpVersionMajor = original.httpVersionMajor;
    this.httpVersionMinor = original.httpVersionMinor;
    this.method = parsed.method;
    this.url = parsed.target.path + parsed.target.search;
    this.headers = { ...parsed.headers };
    this.target = parsed.target;
    this.form = parsed.form;
    this.locale = parsed.locale;
    this.clientFiles = parsed.clientFiles;
    this.sentMethod = original.method ?? '';
    this.complete = true;
    if (parsed.body.length > 0) {
      this.push(parsed.body);
    }
    this.push(null);
  }
}
