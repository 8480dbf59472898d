import { SECOND_FACTOR_EVENTS } from './events.js';
import type { ServerResponse } from 'node:http';
import type { Database, Queryable } from '../../kernel/database/database.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { message, waitDuration, type Message } from '../../kernel/i18n/message.js';
import type { Log } from '../../kernel/log.js';
import type { RateLimiter, RateLimitRule } from '../../kernel/rate-limit/rate-limiter.js';
import type { Audit } from '../accounts/audit.js';
import type { AuthenticatorApps } from './authenticator-apps.js';
import type { Passkeys } from './passkeys.js';
import { useRecoveryCode } from './recovery-codes.js';

/** Wrong codes for one user in 15 minutes and in a day. Only those who have the password can enter codes. */
const MAX_CODES = 5;
const MAX_CODES_AND_DAY = 30;
const DAY_SECONDS = 24 * 3600;

/** Wrong passkeys from one address in 15 minutes. */
const MAX_PASSKEYS_PER_ADDRESS = 50;

/** Why a code or a passkey was not accepted. */
export interface FactorProblem {
  readonly status: 401 | 429;
  readonly problem: Message;
  readonly retryAfterSeconds?: number;
}

/** What a user proved in a form. */
export type UsedFactor = 'code' | 'recovery_code' | 'passkey';

/** The second factors of a user. */
export interface Factors {
  readonly hasAuthenticator: boolean;
  readonly hasPasskeys: boolean;
}

export interface SecondFactorDeps {
  readonly database: Database;
  readonly audit: Audit;
  readonly authenticators: AuthenticatorApps;
  readonly passkeys: Passkeys;
  readonly limit: RateLimiter;
  readonly log: Log;
  readonly now: () => Date;
}

/** Checks second factors, and limits guessing. */
export class SecondFactor {
  constructor(private readonly deps: SecondFactorDeps) {}

  /** Whether a sign-in of this user by password needs a code, too. */
  isNeeded(accountId: string): Promise<boolean> {
    return this.deps.authenticators.isOn(accountId);
  }

  async of(accountId: string): Promise<Factors> {
    return {
      hasAuthenticator: await this.deps.authenticators.isOn(accountId),
      hasPasskeys: (await this.deps.passkeys.of(accountId)).length > 0,
    };
  }

  /**
   * Checks a code of the authenticator app, or a recovery code. Each is accepted once.
   * @param about.isRecovery which of the two it is.
   * @returns why it was not accepted; undefined when it was.
   */
  async checkCode(
    response: ServerResponse,
    about: { readonly accountId: string; readonly code: string; readonly isRecovery: boolean },
  ): Promise<FactorProblem | undefined> {
    const { authenticators, limit } = this.deps;
    const { accountId, code, isRecovery } = about;
    const taken = await limit.consume(codeRules(accountId));
    if ('waitSeconds' in taken) {
      return tooMany(taken.waitSeconds);
    }
    const isRight = isRecovery
      ? await this.acceptRecoveryCode(response, accountId, code)
      : await authenticators.accept(accountId, code);
    if (!isRight) {
      const problem = message('authenticatorCodeWrong');
      return { status: 401, problem: isRecovery ? message('recoveryCodeWrong') : problem };
    }
    await limit.refund(taken);
    return undefined;
  }

  /**
   * Checks the response of a passkey.
   * @param csrf the anti-forgery token of the form.
   * @param address of the client, for the limit.
   */
  async checkPasskey(
    response: ServerResponse,
    sent: string,
    csrf: string,
    address: string,
  ): Promise<{ readonly accountId: string } | FactorProblem> {
    const { passkeys, limit } = this.deps;
    const rule = { key: ['wrong passkeys', address], max: MAX_PASSKEYS_PER_ADDRESS } as const;
    const taken = await limit.consume([rule]);
    if ('waitSeconds' in taken) {
      return tooMany(taken.waitSeconds);
    }
    const checked = await passkeys.check(sent, csrf);
    if (checked === undefined) {
      return PASSKEY_FAILED;
    }
    const { accountId, mayBeCopy } = checked;
    if (mayBeCopy) {
      this.deps.log({
        time: this.deps.now().toISOString(),
        level: 'error',
        event: 'sign_in_failed',
        requestId: String(response.getHeader('X-Request-Id') ?? ''),
        user: accountId,
        message: 'the signature count of a passkey did not grow',
      });
      return PASSKEY_MAY_BE_COPY;
    }
    await limit.refund(taken);
    return { accountId };
  }

  /**
   * Checks the second factor in a form of a user who is already identified: a code, a recovery code or a passkey.
   * @returns which it is; why it was not accepted; undefined for a form without any.
   */
  async check(
    { response, clientAddress }: Pick<BufferedContext, 'response' | 'clientAddress'>,
    about: {
      readonly form: URLSearchParams | undefined;
      readonly csrf: string;
      readonly accountId: string;
    },
  ): Promise<FactorProblem | UsedFactor | undefined> {
    const { form, csrf, accountId } = about;
    const passkey = form?.get('passkey') ?? '';
    if (passkey !== '') {
      const checked = await this.checkPasskey(response, passkey, csrf, clientAddress);
      const isTheirs = 'accountId' in checked && checked.accountId === accountId;
      return isTheirs ? 'passkey' : 'accountId' in checked ? PASSKEY_FAILED : checked;
    }
    const recovery = form?.get('recovery_code');
    const code = recovery ?? form?.get('code');
    if (code === null || code === undefined) {
      return undefined;
    }
    const isRecovery = typeof recovery === 'string';
    const problem = await this.checkCode(response, { accountId, code, isRecovery });
    return problem ?? (isRecovery ? 'recovery_code' : 'code');
  }

  private acceptRecoveryCode(
    response: ServerResponse,
    accountId: string,
    code: string,
  ): Promise<boolean> {
    const { database, audit } = this.deps;
    return database.transaction(async (transaction) => {
      const isRight = await useRecoveryCode(transaction, accountId, code);
      if (isRight) {
        const about = { by: accountId, user: accountId };
        await audit(response, SECOND_FACTOR_EVENTS.recoveryCodeUsed, about, transaction);
      }
      return isRight;
    });
  }

  /** See {@link Passkeys.requestOptions}. */
  passkeyOptions(csrf: string, accountId?: string): Promise<string> {
    return this.deps.passkeys.requestOptions(csrf, accountId);
  }
}

/** Whether an owner of the workspace wants a second factor before users allow an app. */
export async function workspaceNeedsSecondFactor(
  database: Queryable,
  workspaceId: string,
): Promise<boolean> {
  const rows = await database.query(
    'SELECT 1 FROM workspaces WHERE id = $1 AND needs_second_factor',
    [workspaceId],
  );
  return rows.length > 0;
}

const PASSKEY_FAILED: FactorProblem = { status: 401, problem: message('passkeyFailed') };
const PASSKEY_MAY_BE_COPY: FactorProblem = { status: 401, problem: message('passkeyMayBeCopy') };

function tooMany(waitSeconds: number): FactorProblem {
  return {
    status: 429,
    problem: message('signInTooMany', { time: waitDuration(waitSeconds) }),
    retryAfterSeconds: waitSeconds,
  };
}

function codeRules(accountId: string): RateLimitRule[] {
  const key = ['wrong second factors', accountId] as const;
  return [
    { key, max: MAX_CODES },
    { key, max: MAX_CODES_AND_DAY, windowSeconds: DAY_SECONDS },
  ];
}
