import { expect } from '@jest/globals';
import type { Account } from '../../src/account/current-account.js';
import { RequestQueue } from '../../src/api/request-queue.js';
import { Observable } from '../../src/util/observable.js';
import { signedInSession, testClient } from '../api/signed-in.js';
import { Conversation, type PendingExchange } from '../support/conversation.js';
import { FakeClock } from '../support/fake-clock.js';

export const BASE = 'https://service.example';

/** An account with these scopes; null when the service does not report them. */
export function accountWith(scopes: readonly string[] | null, username = 'anna'): Account {
  return { name: username, username, workspace: { id: 'w1', name: 'Studio' }, scopes };
}

/** The request queue of a session, over a network that the test converses over, and the connected account. */
export class ApiFixture {
  readonly account = new Observable<Account | null>(null);

  private constructor(
    readonly clock: FakeClock,
    readonly network: Conversation,
    readonly requests: RequestQueue,
  ) {}

  static async create(): Promise<ApiFixture> {
    const clock = new FakeClock();
    const network = new Conversation();
    const { send } = network;
    const session = await signedInSession({ send, client: testClient(BASE), clock });
    return new ApiFixture(
      clock,
      network,
      new RequestQueue({ send, session, clock, random: () => 0 }),
    );
  }

  /** The only request on the wire, by its method and path. */
  async next(line: string): Promise<PendingExchange> {
    await this.clock.settle();
    const { only } = this.network;
    expect(`${only.request.method} ${only.request.url.replace(BASE, '')}`).toBe(line);
    return only;
  }
}
