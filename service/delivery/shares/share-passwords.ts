import type { IncomingMessage, ServerResponse } from 'node:http';
import { unauthenticatedRules, type PasswordProblem } from '../../identity/index.js';
import { hashPassword, verifyPassword } from '../../kernel/password-hash.js';
import { widestNetwork, type ClientAddress } from '../../kernel/http/request/client-address.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { FairQueue } from '../../kernel/rate-limit/fair-queue.js';
import { message, waitDuration } from '../../kernel/i18n/message.js';
import { SHARE_PASSWORD_LENGTH } from './share.js';

/** How many passwords are hashed at once. Each takes one of Node's four worker threads; sign-ins take two more. */
const AT_ONCE = 1;
const MAX_WAITING_PER_NETWORK = 10;
const MAX_WAITING = 100;
/** After how many seconds to try again, for a guest who was refused because too many are waiting. */
export const BUSY_RETRY_SECONDS = 5;

/** The passwords of links. They are hashed and checked like those of users, and the same limits slow down guessing. */
export class SharePasswords {
  private readonly line = new FairQueue({
    atOnce: AT_ONCE,
    perKey: MAX_WAITING_PER_NETWORK,
    waitingInAll: MAX_WAITING,
  });

  constructor(
    private readonly limit: RateLimiter,
    private readonly addressOf: ClientAddress,
  ) {}

  /** Hashes a password for a new link. @returns undefined when too many are waiting already. */
  async hash(password: string, request: IncomingMessage): Promise<string | undefined> {
    const hashed = await this.inLine(request, () => hashPassword(password));
    return hashed === 'full' ? undefined : hashed.result;
  }

  /** Checks a password for a link; undefined means that it is right. */
  async problemOf(
    { id, passwordHash }: { readonly id: string; readonly passwordHash: string },
    password: string,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ): Promise<PasswordProblem | undefined> {
    if (password.length > SHARE_PASSWORD_LENGTH.max) {
      return WRONG;
    }
    // No username can look like this, so these attempts are counted separately from sign-ins.
    const rules = unauthenticatedRules(`\nlink ${id}`, this.addressOf(request));
    const taken = await this.limit.consume(rules);
    if ('waitSeconds' in taken) {
      const { waitSeconds } = taken;
      return {
        status: 429,
        problem: message('shareTooMany', { time: waitDuration(waitSeconds) }),
        retryAfterSeconds: waitSeconds,
      };
    }
    const checked = await this.inLine<boolean | 'gone'>(request, () =>
      // No work for a client that has disconnected.
      response.destroyed ? Promise.resolve('gone') : verifyPassword(password, passwordHash),
    );
    const result = checked === 'full' ? checked : checked.result;
    if (result === false) {
      return WRONG;
    }
    await this.limit.refund(taken);
    return result === true ? undefined : BUSY;
  }

  private inLine<T>(
    request: IncomingMessage,
    work: () => Promise<T>,
  ): Promise<{ readonly result: T } | 'full'> {
    return this.line.run(widestNetwork(this.addressOf(request)), work);
  }
}

const WRONG: PasswordProblem = { status: 401, problem: message('sharePasswordWrong') };

const BUSY: PasswordProblem = {
  status: 503,
  problem: message('shareBusy'),
  retryAfterSeconds: BUSY_RETRY_SECONDS,
};
