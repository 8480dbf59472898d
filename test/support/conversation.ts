import { CancelledError, NEVER_CANCELLED } from '../../src/util/cancel.js';
import type { CwError } from '../../src/util/errors.js';
import type { HttpRequest, HttpResponse, SendHttp } from '../../src/host/http.js';

/** A request on the wire, whose outcome the test decides. */
export interface PendingExchange {
  readonly request: HttpRequest;
  /** The access token it bears, without `Bearer `; null when it bears none. */
  readonly token: string | null;
  /** Whether it has been answered, failed or cancelled. */
  readonly isOver: boolean;
  /** Whether its sender cancelled it. */
  readonly isCancelled: boolean;
  respond(status: number, headers?: Readonly<Record<string, string>>, body?: object | string): void;
  fail(error: CwError): void;
}

/** A network a test converses with: it sees each request as it goes out and answers in its own time. */
export class Conversation {
  readonly exchanges: PendingExchange[] = [];
  /** The most requests that were ever on the wire at once. */
  mostOpen = 0;
  /** Called for each request as it goes out; may answer it. */
  onRequest: (exchange: PendingExchange) => void = () => undefined;

  get open(): readonly PendingExchange[] {
    return this.exchanges.filter((exchange) => !exchange.isOver);
  }

  /** The only request on the wire. @throws Error when there is none or more than one */
  get only(): PendingExchange {
    const [exchange, ...others] = this.open;
    if (!exchange || others.length > 0)
      throw new Error(`${this.open.length} requests are on the wire`);
    return exchange;
  }

  readonly send: SendHttp = (request, signal = NEVER_CANCELLED) =>
    new Promise<HttpResponse>((resolve, reject) => {
      if (signal.cancelled) {
        reject(new CancelledError());
        return;
      }
      let isOver = false;
      let isCancelled = false;
      const end = (finish: () => void): void => {
        if (isOver) throw new Error('this exchange is over');
        isOver = true;
        stopListening();
        finish();
      };
      const authorization = request.headers['Authorization'];
      const exchange: PendingExchange = {
        request,
        token: authorization?.replace(/^Bearer /, '') ?? null,
        get isOver() {
          return isOver;
        },
        get isCancelled() {
          return isCancelled;
        },
        respond: (status, headers, body) =>
          end(() => {
            resolve(httpResponse(status, headers, body));
          }),
        fail: (error) =>
          end(() => {
            reject(error);
          }),
      };
      const stopListening = signal.onCancel(() => {
        isCancelled = true;
        end(() => {
          reject(new CancelledError());
        });
      });
      this.exchanges.push(exchange);
      this.mostOpen = Math.max(this.mostOpen, this.open.length);
      this.onRequest(exchange);
    });
}

/** An answer as plain data. An object as body becomes JSON. */
export function httpResponse(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: object | string = '',
): HttpResponse {
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    status,
    text: typeof body === 'string' ? body : JSON.stringify(body),
    header: (name) => byName.get(name.toLowerCase()) ?? null,
  };
}
