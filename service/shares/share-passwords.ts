import type { IncomingMessage, ServerResponse } from 'node:http';
import { strangerRules, type PasswordProblem } from '../accounts/password-check.js';
import { hashPassword, verifyPassword } from '../accounts/password.js';
import { widestNetwork, type ClientAddress } from '../http/client-address.js';
import type { AttemptLimit } from '../limits/attempt-limit.js';
import { FairQueue } from '../limits/fair-queue.js';
import { sentence, waiting } from '../pages/sentence.js';
import { SHARE_PASSWORD_LENGTH } from './share.js';

/** Each keeps one of Node's four threads for files busy; sign-ins have two more. */
const AT_ONCE = 1;
const MAX_WAITING_PER_NETWORK = 10;
const MAX_WAITING = 100;
/** After how many seconds somebody comes again for whom too many wait already. */
export const BUSY_RETRY_SECONDS = 5;

/** The passwords of links: hashed and checked as those of people are, and guessing is slowed down by the same limits. */
export class SharePasswords {
  private readonly line = new FairQueue({
    atOnce: AT_ONCE,
    maxPerLane: MAX_WAITING_PER_NETWORK,
    maxInAll: MAX_WAITING,
  });

  constructor(
    private readonly limit: AttemptLimit,
    private readonly addressOf: ClientAddress,
  ) {}

  /** @returns undefined when too many wait already. */
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
    // No person can have this name, so these attempts are counted apart from those of people.
    const rules = strangerRules(`\nlink ${id}`, this.addressOf(request));
    const taken = await this.limit.take(rules);
    if ('waitSeconds' in taken) {
      const { waitSeconds } = taken;
      return {
        status: 429,
        problem: sentence('shareTooMany', { time: waiting(waitSeconds) }),
        retryAfterSeconds: waitSeconds,
      };
    }
    const checked = await this.inLine(request, () =>
      // No work for somebody who has gone meanwhile.
      response.destroyed ? Promise.resolve(false) : verifyPassword(password, passwordHash),
    );
    if (checked !== 'full' && !checked.result) {
      return WRONG;
    }
    await this.limit.giveBack(taken);
    return checked === 'full' ? BUSY : undefined;
  }

  private inLine<T>(
    request: IncomingMessage,
    work: () => Promise<T>,
  ): Promise<{ readonly result: T } | 'full'> {
    return this.line.run(widestNetwork(this.addressOf(request)), work);
  }
}

const WRONG: PasswordProblem = { status: 401, problem: sentence('sharePasswordWrong') };

const BUSY: PasswordProblem = {
  status: 503,
  problem: sentence('shareBusy'),
  retryAfterSeconds: BUSY_RETRY_SECONDS,
};
