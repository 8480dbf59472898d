import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieHeader, cookiesIn, type CookieName } from '../../kernel/cookies.js';
import { sha256 } from '../../kernel/hash.js';
import { COMPANY_PATHS } from '../../site/addresses/company-paths.js';
import { openSecret, sealSecret } from '../../kernel/secret-box.js';

/** How long a value is valid, in seconds: a person signs in at another site in between. */
const LIFE_SECONDS = 15 * 60;

/** A request with its response. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface SealedCookieDeps {
  /** See `secretKeys`; another one for each cookie. */
  readonly key: Uint8Array;
  /** Whether browsers reach the service by https. */
  readonly isSecure: boolean;
  readonly now: () => Date;
}

/** How many values one browser keeps of one kind. A further one replaces the oldest. */
const MAX_VALUES = 5;

/** What a cookie has in it: a value, and until when it is valid, in milliseconds since 1970. */
interface Sealed<T> {
  readonly until: number;
  readonly value: T;
}

/**
 * Values that only this service can make and read, kept in one browser for the pages below the root of
 * {@link COMPANY_PATHS}. Nothing is stored at the service. Each key has a value of its own, so that the tabs of a browser
 * do not replace each other's.
 */
export class SealedCookie<T extends object> {
  constructor(
    private readonly name: CookieName,
    private readonly deps: SealedCookieDeps,
  ) {}

  /** @param key of the value, such as a state; without one, there is one value. */
  set({ request, response }: Exchange, value: T, key = ''): void {
    const until = this.deps.now().getTime() + LIFE_SECONDS * 1000;
    const text = JSON.stringify({ until, value } satisfies Sealed<T>);
    const name = suffixOf(key);
    const others = cookiesIn(request, this.name, this.deps.isSecure)
      .filter(({ suffix }) => suffix !== name)
      .map(({ suffix, value: sealed }) => ({ suffix, until: this.open(sealed)?.until ?? 0 }))
      .toSorted((one, other) => other.until - one.until);
    for (const { suffix } of others.slice(MAX_VALUES - 1)) {
      this.write(response, suffix, '', 0);
    }
    this.write(response, name, sealSecret(this.deps.key, text).toString('base64url'), LIFE_SECONDS);
  }

  /** The value of this browser; undefined without one, and when it is too old or was changed. */
  get(request: IncomingMessage, key = ''): T | undefined {
    const { isSecure, now } = this.deps;
    const name = suffixOf(key);
    const found = cookiesIn(request, this.name, isSecure).find(({ suffix }) => suffix === name);
    const sealed = found && this.open(found.value);
    return sealed !== undefined && sealed.until > now().getTime() ? sealed.value : undefined;
  }

  delete(response: ServerResponse, key = ''): void {
    this.write(response, suffixOf(key), '', 0);
  }

  private open(sealed: string): Sealed<T> | undefined {
    try {
      return JSON.parse(openSecret(this.deps.key, Buffer.from(sealed, 'base64url'))) as Sealed<T>;
    } catch {
      return undefined;
    }
  }

  private write(response: ServerResponse, suffix: string, value: string, maxAge: number): void {
    const life = { path: COMPANY_PATHS.root, maxAge, isSecure: this.deps.isSecure };
    response.appendHeader('Set-Cookie', cookieHeader(this.name, value, { ...life, suffix }));
  }
}

/** A part of a cookie name that stands for a key of any form. */
function suffixOf(key: string): string {
  return key === '' ? '' : `_${sha256(key).slice(0, 16)}`;
}
