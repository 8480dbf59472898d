import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieHeader, cookieIn } from '../../platform/http/cookies.js';
import type { CsrfTokens } from '../csrf/csrf.js';

const COOKIE = 'cws_known';
/** How long the cookie lasts, in seconds: 400 days, the longest that browsers allow. */
const LIFE_SECONDS = 400 * 24 * 3600;
/** How many people who share a browser are remembered: those who signed in last. */
const MAX_PEOPLE = 4;
const SEPARATOR = '~';

/**
 * Remembers in a cookie who has signed in with a browser before ("device cookies", OWASP, Slow Down Online
 * Guessing Attacks with Device Cookies). The cookie has one entry `<issued>.<nonce>.<epoch>.<mac>` for each person. The MAC
 * covers the person, the time, the nonce and the epoch, with a key of the service, so that the service need not store
 * anything. The epoch changes with the password: see {@link TrustedDevices.epochOf}.
 *
 * The cookie signs nobody in. It only decides how attempts to sign in as this person are counted: by the nonce, not by
 * the address. So nobody else at that address can use up the attempts of this browser.
 */
export class TrustedDevices {
  /** @param isSecure whether browsers reach the service by https. */
  constructor(
    private readonly formTokens: CsrfTokens,
    private readonly isSecure: boolean,
    private readonly now: () => Date,
  ) {}

  /**
   * This browser as one with which this person has signed in before, whatever their password was then.
   * @param person the username in lower case.
   */
  find(request: IncomingMessage, username: string): TrustedDevice | undefined {
    return this.read(request).find((entry) => this.isOf(entry, username));
  }

  /** A text that changes whenever the password does. It allows no check of a guessed password. */
  epochOf(passwordHash: string): string {
    return this.formTokens.make('password-epoch', passwordHash).slice(0, 22);
  }

  /**
   * Notes that this person has signed in; call it before the answer's headers are sent.
   * @param passwordHash hash of the password with which they did so, or which they have just chosen.
   */
  remember(
    request: IncomingMessage,
    response: ServerResponse,
    username: string,
    passwordHash: string,
  ): void {
    const issued = String(Math.floor(this.now().getTime() / 1000));
    const nonce = randomBytes(16).toString('base64url');
    const epoch = this.epochOf(passwordHash);
    const own = { issued, nonce, epoch, mac: this.mac(username, issued, nonce, epoch) };
    const others = this.read(request).filter((entry) => !this.isOf(entry, username));
    const value = [own, ...others]
      .slice(0, MAX_PEOPLE)
      .map((entry) => `${entry.issued}.${entry.nonce}.${entry.epoch}.${entry.mac}`)
      .join(SEPARATOR);
    const life = { path: '/', maxAge: LIFE_SECONDS, isSecure: this.isSecure };
    response.appendHeader('Set-Cookie', cookieHeader(COOKIE, value, life));
  }

  private read(request: IncomingMessage): Entry[] {
    const oldest = this.now().getTime() / 1000 - LIFE_SECONDS;
    return cookieIn(request, COOKIE, this.isSecure)
      .split(SEPARATOR)
      .slice(0, MAX_PEOPLE)
      .flatMap((entry) => {
        const [, issued = '', nonce = '', epoch = '', mac = ''] =
          /^(\d{1,12})\.([\w-]{22})\.([\w-]{22})\.([\w-]{43})$/.exec(entry) ?? [];
        return mac !== '' && Number(issued) > oldest ? [{ issued, nonce, epoch, mac }] : [];
      });
  }

  private isOf({ issued, nonce, epoch, mac }: Entry, username: string): boolean {
    return this.formTokens.matches(mac, this.mac(username, issued, nonce, epoch));
  }

  private mac(username: string, issued: string, nonce: string, epoch: string): string {
    return this.formTokens.make('known-browser', username, issued, nonce, epoch);
  }
}

/** A browser with which a person has signed in. */
export interface TrustedDevice {
  readonly nonce: string;
  /** The epoch of the password at that time. */
  readonly epoch: string;
}

interface Entry extends TrustedDevice {
  /** When the entry was made, in seconds since 1970. */
  readonly issued: string;
  readonly mac: string;
}
