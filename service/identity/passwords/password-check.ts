import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  widerNetworks,
  widestNetwork,
  type ClientAddress,
} from '../../kernel/http/request/client-address.js';
import type {
  RateLimiter,
  RateLimitRule,
  CountedAttempt,
  Escalation,
  RejectedAttempt,
} from '../../kernel/rate-limit/rate-limiter.js';
import { FairQueue } from '../../kernel/rate-limit/fair-queue.js';
import { message, waitDuration, type Message } from '../../kernel/i18n/message.js';
import { foldUsername } from '../../kernel/typed-text.js';
import type { Account, Accounts } from '../accounts/accounts.js';
import type { TrustedDevices } from './trusted-devices.js';
import { hashPassword } from '../../kernel/password-hash.js';
import { MAX_PASSWORD_LENGTH } from './password-rules.js';

const DAY_SECONDS = 24 * 3600;

/** Wrong passwords for one user from one address, or from one trusted browser: in 15 minutes, in a day. */
const MAX_PER_SOURCE = 10;
const MAX_PER_SOURCE_AND_DAY = 30;
/** The same from an address during an attack on the user or from its wider network. Never zero. */
const MAX_WHEN_ESCALATED = 3;
const MAX_WHEN_ESCALATED_AND_DAY = 5;
/** Wrong passwords for all users from one address in 15 minutes; the same during an attack from its wider network. */
const MAX_PER_ADDRESS = 50;
const MAX_PER_ADDRESS_WHEN_ESCALATED = 10;
/** More wrong passwords than this in a day count as an attack: for one user, from one wider network. */
const ATTACK_ON_USER = 50;
const ATTACK_FROM_NETWORK = 100;

/** No account has a longer username, so longer ones are not looked up. */
const MAX_USERNAME_LENGTH = 256;

/**
 * How many passwords one process checks at the same time. Each check keeps one of Node's four threads busy for about a
 * tenth of a second, and all work on files needs these threads, too.
 */
const CHECKS_AT_ONCE = 2;
const MAX_WAITING_PER_NETWORK = 20;
const MAX_WAITING = 200;
const BUSY_RETRY_SECONDS = 5;

/** Why a password was not checked, hashed or right. `status` is the HTTP status of the answer. */
export interface PasswordProblem {
  readonly status: 401 | 429 | 503;
  /** The message for the user. */
  readonly problem: Message;
  readonly retryAfterSeconds?: number;
}

export type PasswordResult =
  | {
      readonly account: Account;
      /** Whether the user has signed in with this browser before, with any password. */
      readonly isKnownBrowser: boolean;
    }
  | PasswordProblem;

export interface PasswordCheckDeps {
  readonly accounts: Accounts;
  readonly limit: RateLimiter;
  readonly addressOf: ClientAddress;
  readonly trustedDevices: TrustedDevices;
}

/**
 * Checks a username and a password, and limits guessing.
 *
 * Attempts at other addresses never lock a user out. Wrong passwords for one user from everywhere, and those from a
 * wider network, only reduce the allowance of each address. A browser that has signed in with the user's current
 * password is counted separately. Others at the same address do not affect it. All such browsers of a user share one
 * daily allowance. After that, they count like unknown browsers.
 */
export class PasswordCheck {
  private readonly checks = new FairQueue({
    atOnce: CHECKS_AT_ONCE,
    perKey: MAX_WAITING_PER_NETWORK,
    waitingInAll: MAX_WAITING,
  });

  constructor(private readonly deps: PasswordCheckDeps) {}

  /**
   * Checks the credentials in `request`. For a right password it adds the cookie of a trusted browser to `response`.
   * @returns the account; otherwise a problem: 401 for a wrong username or password, 429 for too many attempts, 503
   *   when too many checks are waiting.
   */
  async attempt(
    username: string,
    password: string,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ): Promise<PasswordResult> {
    const { accounts, limit, addressOf, trustedDevices } = this.deps;
    // Before anything is counted: all forms of a name have one allowance.
    const user = foldUsername(username);
    if (isImpossibleUsername(user) || password.length > MAX_PASSWORD_LENGTH) {
      return WRONG;
    }
    const address = addressOf(request);
    const known = await this.trustedDeviceNonce(request, user);
    const taken = await this.take(user, address, known);
    if ('waitSeconds' in taken) {
      return {
        status: 429,
        problem: message('signInTooMany', { time: waitDuration(taken.waitSeconds) }),
        retryAfterSeconds: taken.waitSeconds,
      };
    }
    const checked = await this.enqueue<Awaited<ReturnType<Accounts['signIn']>> | 'gone'>(
      known === undefined ? widestNetwork(address) : `trusted devices of ${user}`,
      () =>
        // The client may have disconnected while the check was queued.
        response.destroyed ? Promise.resolve('gone') : accounts.signIn(username, password),
    ).catch(async (error: unknown) => {
      // Most likely the database is unavailable. The result was not revealed, so the attempt does not count.
      await limit.refund(taken).catch(() => undefined);
      throw error;
    });
    if (checked === undefined) {
      return WRONG;
    }
    await limit.refund(taken);
    if (checked === 'full' || checked === 'gone') {
      return BUSY;
    }
    const { passwordHash, ...account } = checked;
    const isKnownBrowser = trustedDevices.find(request, user) !== undefined;
    trustedDevices.remember(request, response, user, passwordHash);
    return { account, isKnownBrowser };
  }

  /** The nonce of this browser, if the user has signed in with it since the last change of their password. */
  private async trustedDeviceNonce(
    request: IncomingMessage,
    user: string,
  ): Promise<string | undefined> {
    const { accounts, trustedDevices } = this.deps;
    const found = trustedDevices.find(request, user);
    const hash = found && (await accounts.passwordHashOf(user));
    const isCurrent = hash !== undefined && trustedDevices.epochOf(hash) === found?.epoch;
    return isCurrent ? found.nonce : undefined;
  }

  /** Counts an attempt. */
  private async take(
    user: string,
    address: string,
    known: string | undefined,
  ): Promise<CountedAttempt | RejectedAttempt> {
    const { limit } = this.deps;
    if (known === undefined) {
      return limit.consume(unauthenticatedRules(user, address));
    }
    const own = await limit.consume(trustedDeviceRules(user, known));
    if ('waitSeconds' in own) {
      return own;
    }
    const inSum = await limit.consume([trustedDevicesRule(user)]);
    // Attempts in other browsers must not lock out this one.
    const shared =
      'waitSeconds' in inSum ? await limit.consume(unauthenticatedRules(user, address)) : inSum;
    if ('waitSeconds' in shared) {
      await limit.refund(own);
      return shared;
    }
    return { counted: [...own.counted, ...shared.counted] };
  }

  /**
   * Hashes a new password. This is as costly as a check, so it uses the same queue.
   * @returns the hash; a problem (503) when too many are waiting.
   */
  async hash(
    password: string,
    request: IncomingMessage,
  ): Promise<{ readonly hash: string } | PasswordProblem> {
    const network = widestNetwork(this.deps.addressOf(request));
    const hash = await this.enqueue(network, () => hashPassword(password));
    return hash === 'full' ? BUSY : { hash };
  }

  /** Marks this browser as trusted for a user who has just been identified without the password. */
  remember(
    request: IncomingMessage,
    response: ServerResponse,
    { username, passwordHash }: { readonly username: string; readonly passwordHash: string },
  ): void {
    const user = foldUsername(username);
    this.deps.trustedDevices.remember(request, response, user, passwordHash);
  }

  /** Queues costly work. @returns its result; 'full' at once when the queue is full. */
  private async enqueue<T>(key: string, work: () => Promise<T>): Promise<T | 'full'> {
    const done = await this.checks.run(key, work);
    return done === 'full' ? done : done.result;
  }
}

const WRONG: PasswordProblem = {
  status: 401,
  problem: message('signInWrong'),
};

const BUSY: PasswordProblem = {
  status: 503,
  problem: message('signInBusy'),
  retryAfterSeconds: BUSY_RETRY_SECONDS,
};

/** Whether no account can have this name. PostgreSQL refuses a text with the control character NUL. */
function isImpossibleUsername(user: string): boolean {
  return user.length > MAX_USERNAME_LENGTH || /\p{Cc}/u.test(user);
}

/**
 * How often a password may be tried from one address.
 * @param user the username; for other passwords, a text that cannot be a username.
 * @param address as returned by {@link ClientAddress}.
 */
export function unauthenticatedRules(user: string, address: string): RateLimitRule[] {
  const networks = widerNetworks(address).map((network): Escalation => ({
    key: ['wrong passwords from network', network],
    above: ATTACK_FROM_NETWORK,
    windowSeconds: DAY_SECONDS,
  }));
  const onUser: Escalation = {
    key: ['wrong passwords of user', user],
    above: ATTACK_ON_USER,
    windowSeconds: DAY_SECONDS,
  };
  const whenEscalated = (
    escalations: readonly Escalation[],
    max: number,
  ): NonNullable<RateLimitRule['whenEscalated']> =>
    escalations.map((escalation) => ({ escalation, max }));
  const attack = [onUser, ...networks];
  return [
    {
      key: ['wrong passwords', user, address],
      max: MAX_PER_SOURCE,
      whenEscalated: whenEscalated(attack, MAX_WHEN_ESCALATED),
    },
    {
      key: ['wrong passwords', user, address],
      max: MAX_PER_SOURCE_AND_DAY,
      windowSeconds: DAY_SECONDS,
      whenEscalated: whenEscalated(attack, MAX_WHEN_ESCALATED_AND_DAY),
    },
    {
      key: ['wrong passwords from address', address],
      max: MAX_PER_ADDRESS,
      whenEscalated: whenEscalated(networks, MAX_PER_ADDRESS_WHEN_ESCALATED),
    },
  ];
}

function trustedDeviceRules(user: string, nonce: string): RateLimitRule[] {
  const key = ['wrong passwords on trusted device', user, nonce] as const;
  return [
    { key, max: MAX_PER_SOURCE },
    { key, max: MAX_PER_SOURCE_AND_DAY, windowSeconds: DAY_SECONDS },
  ];
}

/** Counts the attempts in all trusted browsers of a user together. */
function trustedDevicesRule(user: string): RateLimitRule {
  return {
    key: ['wrong passwords on trusted devices of user', user],
    max: MAX_PER_SOURCE_AND_DAY,
    windowSeconds: DAY_SECONDS,
  };
}
