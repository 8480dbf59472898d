import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cookieHeader, cookieIn } from '../../kernel/cookies.js';
import type { CsrfTokens } from '../../identity/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import type { Share } from './share.js';

const COOKIE = 'cws_share';

/** How long a link stays open after its password was entered, in seconds. */
const OPEN_SECONDS = 24 * 3600;

/**
 * The only cookie of a link that has a password; browsers send it only below the path of the link. Before the password
 * is entered it ties the form to the browser (`form.<nonce>`); afterwards it records that the password was entered
 * (`open.<when>.<mac>`, the MAC made with a key of the service over the link, its password hash and the time). The
 * service itself stores nothing.
 */
export class ShareCookie {
  /** @param isSecure whether browsers reach the service by https. */
  constructor(
    private readonly formTokens: CsrfTokens,
    private readonly isSecure: boolean,
    private readonly now: () => Date,
  ) {}

  /** Whether the password of the link was entered with this browser. */
  isOpen(request: IncomingMessage, share: Share): boolean {
    const [kind, when = '', mac = ''] = cookieIn(request, COOKIE, this.isSecure).split('.');
    const age = this.seconds() - Number(when);
    const isFresh = /^\d{1,12}$/.test(when) && age < OPEN_SECONDS;
    return kind === 'open' && isFresh && this.formTokens.matches(mac, this.macOf(share, when));
  }

  /** Whether the creator of the link was the last one to sign in with this browser. */
  isCreator(request: IncomingMessage, { creatorId }: Share): boolean {
    return cookieIn(request, 'cws_user', this.isSecure) === creatorId;
  }

  /** Notes in the cookie that the password was entered. */
  open(response: ServerResponse, share: Share, token: string): void {
    const when = String(this.seconds());
    this.set(response, token, `open.${when}.${this.macOf(share, when)}`, OPEN_SECONDS);
  }

  /** The CSRF token for the password form. Sets the cookie if the browser has none. */
  formToken(
    request: IncomingMessage,
    response: ServerResponse,
    share: Share,
    token: string,
  ): string {
    const [kind, kept = ''] = cookieIn(request, COOKIE, this.isSecure).split('.');
    if (kind === 'form' && /^[\w-]{22}$/.test(kept)) {
      return this.tokenOf(share, kept);
    }
    const nonce = randomBytes(16).toString('base64url');
    this.set(response, token, `form.${nonce}`);
    return this.tokenOf(share, nonce);
  }

  /** Whether a form was made for this browser. */
  isOwnForm(request: IncomingMessage, share: Share, given: string | null): boolean {
    const [kind, nonce = ''] = cookieIn(request, COOKIE, this.isSecure).split('.');
    return kind === 'form' && this.formTokens.matches(given, this.tokenOf(share, nonce));
  }

  private tokenOf({ id }: Share, nonce: string): string {
    return this.formTokens.make('share-form', id, nonce);
  }

  private macOf({ id, passwordHash = '' }: Share, when: string): string {
    return this.formTokens.make('share-open', id, passwordHash, when);
  }

  private set(response: ServerResponse, token: string, value: string, maxAge?: number): void {
    const life = { path: SHARES.shared(token), maxAge, isSecure: this.isSecure };
    response.appendHeader('Set-Cookie', cookieHeader(COOKIE, value, life));
  }

  private seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}
