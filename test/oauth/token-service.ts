import { createHash } from 'node:crypto';
import type { HttpResponse } from '../../src/host/http.js';
import type { FakeClock } from '../support/fake-clock.js';

interface Grant {
  /** The refresh token that is good for one use. */
  refreshToken: string;
  accessToken: string;
  /** The refresh that gave these, until its end of use is of no interest. */
  last: { readonly token: string; readonly attempt: string | null; usedAt: number | null } | null;
}

/**
 * The token endpoint as docs/oauth.md describes it, as strict as it can be: every refresh token works once;
 * only who names the same attempt may ask again, and only while nothing of the answer was used.
 */
export class TokenService {
  private number = 1;
  private grant: Grant | null = { refreshToken: 'refresh-1', accessToken: 'svc_at_1', last: null };
  /** Tokens that were good once. */
  private readonly former = new Set<string>();

  /**
   * @param clock its running time is the service's: the wall clock of the user's computer may jump
   * @param knowsAttempts whether it keeps the rule of `refresh_attempt`, or is an older one that ignores it
   */
  constructor(
    private readonly clock: FakeClock,
    private readonly lifetimeMs: number,
    private readonly knowsAttempts = true,
  ) {}

  /** Whether a refresh is still possible. */
  get isAlive(): boolean {
    return this.grant !== null;
  }

  /** Revokes the grant that a token came from ([RFC 7009](https://www.rfc-editor.org/rfc/rfc7009)). */
  revoke(): void {
    this.grant = null;
  }

  /** Whether the data API takes this access token. */
  use(accessToken: string): boolean {
    if (this.grant?.accessToken !== accessToken) return false;
    if (this.grant.last !== null) this.grant.last.usedAt ??= this.clock.elapsed;
    return true;
  }

  refresh(form: URLSearchParams): HttpResponse {
    const token = form.get('refresh_token') ?? '';
    const attempt = this.knowsAttempts ? form.get('refresh_attempt') : null;
    const { grant } = this;
    if (grant === null) return refused();
    if (token === grant.refreshToken) {
      this.former.add(token);
      return this.give(token, attempt);
    }
    const { last } = grant;
    const isRepeat = last?.token === token && last.attempt === attempt && attempt !== null;
    if (isRepeat && last.usedAt === null) return this.give(token, attempt);
    const isLateDuplicate = isRepeat && this.clock.elapsed - (last.usedAt ?? 0) <= 60_000;
    if (!isLateDuplicate && this.former.has(token)) this.grant = null;
    return refused();
  }

  private give(token: string, attempt: string | null): HttpResponse {
    this.number += 1;
    const refreshToken =
      attempt === null
        ? `refresh-${this.number}`
        : createHash('sha256').update(`${token} ${attempt}`).digest('hex');
    const accessToken = `svc_at_${this.number}`;
    this.grant = { refreshToken, accessToken, last: { token, attempt, usedAt: null } };
    return answer(200, {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: this.lifetimeMs / 1000,
      ...(this.knowsAttempts && { refresh_attempt_supported: true }),
    });
  }
}

function refused(): HttpResponse {
  return answer(400, { error: 'invalid_grant' });
}

function answer(status: number, body: Readonly<Record<string, unknown>>): HttpResponse {
  return { status, text: JSON.stringify(body), header: () => null };
}
