import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieHeader, cookieIn } from '../http/cookies.js';
import type { FormTokens } from '../oauth/form-tokens.js';

const COOKIE = 'cws_known';
/** As long as browsers keep a cookie at most (400 days). */
const LIFE_SECONDS = 400 * 24 * 3600;
/** How many people who share a browser are remembered; who signed in last comes first. */
const MAX_PEOPLE = 4;
const SEPARATOR = '~';

/**
 * Remembers in a cookie who has signed in with a browser before ("device cookies", OWASP, Slow Down Online
 * Guessing Attacks with Device Cookies): `<issued>.<nonce>.<mac>` for each person, the mac over the person,
 * made with a key of the service. Nothing is stored here. The cookie signs nobody in; tries to sign in as
 * this person are counted on the nonce rather than on the address, so that nobody else at that address can
 * use up the attempts of this browser.
 */
export class KnownBrowsers {
  /** @param isSecure whether browsers reach the service by https. */
  constructor(
    private readonly formTokens: FormTokens,
    private readonly isSecure: boolean,
    private readonly now: () => Date,
  ) {}

  /** The nonce of this browser for this person, if they have signed in with it before. */
  find(request: IncomingMessage, person: string): string | undefined {
    return this.read(request).find((entry) => this.isOf(entry, person))?.nonce;
  }

  /** Notes that this person has signed in; call it before the answer's headers are sent. */
  remember(request: IncomingMessage, response: ServerResponse, person: string): void {
    const issued = String(Math.floor(this.now().getTime() / 1000));
    const nonce = randomBytes(16).toString('base64url');
    const own = { issued, nonce, mac: this.mac(person, issued, nonce) };
    const others = this.read(request).filter((entry) => !this.isOf(entry, person));
    const value = [own, ...others]
      .slice(0, MAX_PEOPLE)
      .map((entry) => `${entry.issued}.${entry.nonce}.${entry.mac}`)
      .join(SEPARATOR);
    const life = { path: '/', maxAge: LIFE_SECONDS, isSecure: this.isSecure };
    response.appendHeader('Set-Cookie', cookieHeader(COOKIE, value, life));
  }

  private read(request: IncomingMessage): Entry[] {
    const oldest = this.now().getTime() / 1000 - LIFE_SECONDS;
    return cookieIn(request, COOKIE)
      .split(SEPARATOR)
      .slice(0, MAX_PEOPLE)
      .flatMap((entry) => {
        const [, issued = '', nonce = '', mac = ''] =
          /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/.exec(entry) ?? [];
        return mac !== '' && Number(issued) > oldest ? [{ issued, nonce, mac }] : [];
      });
  }

  private isOf({ issued, nonce, mac }: Entry, person: string): boolean {
    return this.formTokens.matches(mac, this.mac(person, issued, nonce));
  }

  private mac(person: string, issued: string, nonce: string): string {
    return this.formTokens.make('known-browser', person, issued, nonce);
  }
}

interface Entry {
  /** In seconds. */
  readonly issued: string;
  readonly nonce: string;
  readonly mac: string;
}
