import { RequestQueue, type ApiRequest } from '../../src/api/request-queue.js';
import type { CancelSource } from '../../src/util/cancel.js';
import type { HttpResponse } from '../../src/host/http.js';
import { Conversation, type PendingExchange } from '../support/conversation.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf, type Outcome } from '../support/outcome.js';
import { signedInSession, testClient, type SignedInOptions } from './signed-in.js';

export const BASE = 'https://service.example';

/** A queue over a scripted network, which answers refreshes automatically by default. */
export class QueueFixture {
  readonly refreshes: PendingExchange[] = [];
  /** Whether refreshes are answered at once; else they stay in `refreshes`. */
  refreshesByItself = true;
  refreshesAtOnce = 0;

  private constructor(
    readonly clock: FakeClock,
    readonly network: Conversation,
    readonly queue: RequestQueue,
  ) {
    network.onRequest = (exchange) => {
      if (!isRefresh(exchange)) return;
      this.refreshes.push(exchange);
      this.refreshesAtOnce = Math.max(this.refreshesAtOnce, network.open.filter(isRefresh).length);
      if (this.refreshesByItself) this.answerRefresh(exchange);
    };
  }

  static async create(
    options: { concurrency?: number } & Partial<SignedInOptions> = {},
  ): Promise<QueueFixture> {
    const { concurrency, ...sessionOptions } = options;
    const clock = new FakeClock();
    const network = new Conversation();
    const { send } = network;
    const session = await signedInSession({
      send,
      client: testClient(BASE),
      clock,
      ...sessionOptions,
    });
    const queue = new RequestQueue({
      send,
      session,
      clock,
      random: () => 0,
      ...(concurrency === undefined ? {} : { concurrency }),
    });
    return new QueueFixture(clock, network, queue);
  }

  /** Requests to the data API on the wire. */
  open(): readonly PendingExchange[] {
    return this.network.open.filter((exchange) => !isRefresh(exchange));
  }

  only(): PendingExchange {
    const [exchange, ...others] = this.open();
    if (!exchange || others.length > 0)
      throw new Error(`${this.open().length} requests are on the wire`);
    return exchange;
  }

  answerRefresh(exchange: PendingExchange): void {
    const number = this.refreshes.indexOf(exchange) + 2;
    exchange.respond(
      200,
      {},
      {
        access_token: `svc_at_${number}`,
        refresh_token: `rt_${number}`,
        token_type: 'Bearer',
      },
    );
  }

  /** Advances a refresh to its request: the session acquires the lease first. */
  async refreshBegins(): Promise<void> {
    await this.clock.advance(500);
  }

  send(more: Partial<ApiRequest> = {}, source?: CancelSource): Outcome<HttpResponse> {
    const request: ApiRequest = {
      method: 'GET',
      url: `${BASE}/api/v1/x`,
      headers: {},
      repeatable: true,
      ...more,
    };
    return outcomeOf(this.queue.send(request, source?.signal));
  }
}

export function isRefresh({ request }: PendingExchange): boolean {
  return request.url === `${BASE}/api/oauth/token`;
}
