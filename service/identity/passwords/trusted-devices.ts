import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieHeader, cookieIn } from '../../kernel/cookies.js';
import type { CsrfTokens } from '../csrf/csrf.js';

const COOKIE = 'cws_known';
/** How long the cookie lasts, in seconds: 400 days, the longest that browsers allow. */
const LIFE_SECONDS = 400 * 24 * 3600;
/** How many users of a shared browser are remembered: the most recent ones. */
const MAX_USERS = 4;
const SEPARATOR = '~';

/**
 * Remembers earlier users of a browser in a cookie ("device cookies", OWASP, Slow Down Online Guessing Attacks with
 * Device Cookies). The cookie has one entry `<issued>.<nonce>.<epoch>.<mac>` for each user. The MAC covers the
 * username, the time, the nonce and the epoch with a key of the service, so nothing is stored. The epoch changes with
 * the password: see {@link TrustedDevices.epochOf}.
 *
 * The cookie does not authenticate. Sign-in attempts for this user are counted by its nonce instead of by the address.
 * So others at the same address cannot use up the attempts of this browser.
 */
export class TrustedDevices {
  /** @param isSecure whether browsers reach the service by https. */
  constructor(
    private readonly formTokens: CsrfTokens,
    private readonly isSecure: boolean,
    private readonly now: () => Date,
  ) {}

  /**
   * The entry of this user in this browser's cookie, also from before a change of the password.
   * @param username the username in lower case.
   */
  find(request: IncomingMessage, username: string): TrustedDevice | undefined {
    return this.read(request).find((entry) => this.isOf(entry, username));
  }

  /** A text that changes whenever the password does. It allows no check of a guessed password. */
  epochOf(passwordHash: string): string {
    return this.formTokens.make('password-epoch', passwordHash).slice(0, 22);
  }

  /**
   * Records that this user has signed in. Call it before the response headers are sent.
   * @param passwordHash hash of the password that they used or have just chosen.
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
      .slice(0, MAX_USERS)
      .map((entry) => `${entry.issued}.${entry.nonce}.${entry.epoch}.${entry.mac}`)
      .join(SEPARATOR);
    const life = { path: '/', maxAge: LIFE_SECONDS, isSecure: this.isSecure };
    response.appendHeader('Set-Cookie', cookieHeader(COOKIE, value, life));
  }

  private read(request: IncomingMessage): Entry[] {
    const oldest = this.now().getTime() / 1000 - LIFE_SECONDS;
    return cookieIn(request, COOKIE, this.isSecure)
      .split(SEPARATOR)
      .slice(0, MAX_USERS)
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

/** A browser that a user has signed in with. */
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
