import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieHeader, cookieIn, type CookieName } from '../../platform/cookies.js';
import { COMPANY_PATHS } from '../../platform/paths/company-paths.js';
import { openSecret, sealSecret } from '../../platform/secret-box.js';

/** How long a value is valid, in seconds: a person signs in at another site in between. */
const LIFE_SECONDS = 15 * 60;

export interface SealedCookieDeps {
  /** See `secretKey`; another one for each cookie. */
  readonly key: Uint8Array;
  /** Whether browsers reach the service by https. */
  readonly isSecure: boolean;
  readonly now: () => Date;
}

/**
 * A value that only this service can make and read, kept in one browser for the pages below the root of
 * {@link COMPANY_PATHS}. Nothing is stored at the service.
 */
export class SealedCookie<T extends object> {
  constructor(
    private readonly name: CookieName,
    private readonly deps: SealedCookieDeps,
  ) {}

  set(response: ServerResponse, value: T): void {
    const until = this.deps.now().getTime() + LIFE_SECONDS * 1000;
    const text = JSON.stringify({ until, value });
    this.write(response, sealSecret(this.deps.key, text).toString('base64url'), LIFE_SECONDS);
  }

  /** The value of this browser; undefined without one, and when it is too old or was changed. */
  get(request: IncomingMessage): T | undefined {
    const { key, isSecure, now } = this.deps;
    const sealed = cookieIn(request, this.name, isSecure);
    if (sealed === '') {
      return undefined;
    }
    try {
      const { until, value } = JSON.parse(openSecret(key, Buffer.from(sealed, 'base64url'))) as {
        until: number;
        value: T;
      };
      return until > now().getTime() ? value : undefined;
    } catch {
      return undefined;
    }
  }

  delete(response: ServerResponse): void {
    this.write(response, '', 0);
  }

  private write(response: ServerResponse, value: string, maxAge: number): void {
    const life = { path: COMPANY_PATHS.root, maxAge, isSecure: this.deps.isSecure };
    response.appendHeader('Set-Cookie', cookieHeader(this.name, value, life));
  }
}
