import { IncomingMessage } from 'node:http';
import type { RequestTarget } from './request-target.js';

/** The parts of a request as they were understood; they take the place of what the client sent. */
export interface Said {
  readonly method: string;
  readonly target: RequestTarget;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
  readonly form: URLSearchParams | undefined;
}

/**
 * A request of which everything has arrived and been checked. Its handler can read the body at once, and never waits
 * for a slow client.
 */
export class WholeRequest extends IncomingMessage {
  readonly target: RequestTarget;
  /** The form in the body; undefined if the body is no form. */
  readonly form: URLSearchParams | undefined;

  /** @param original the request as it came; it gives the connection and the HTTP version. */
  constructor(original: IncomingMessage, said: Said) {
    super(original.socket);
    this.httpVersion = original.httpVersion;
    this.httpVersionMajor = original.httpVersionMajor;
    this.httpVersionMinor = original.httpVersionMinor;
    this.method = said.method;
    this.url = said.target.path + said.target.search;
    this.headers = { ...said.headers };
    this.target = said.target;
    this.form = said.form;
    this.complete = true;
    if (said.body.length > 0) {
      this.push(said.body);
    }
    this.push(null);
  }

  /** The same request with another form and some other headers; a header with the value `undefined` is left out. */
  with(form: URLSearchParams, headers: NodeJS.Dict<string>): WholeRequest {
    const body = Buffer.from(form.toString());
    return new WholeRequest(this, {
      method: this.method ?? '',
      target: this.target,
      headers: { ...this.headers, ...headers, 'content-length': String(body.length) },
      body,
      form,
    });
  }
}
