import type { ServerResponse } from 'node:http';
import { isLinkToken, readLinkToken, type LinkPrefix } from '../invitations/one-time-token.js';
import { cookieHeader, cookieIn } from '../../kernel/cookies.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { LINK_PARAMETER, type LinkPath } from '../../site/addresses/people-paths.js';
import { linkExpiredPage, linkNotOpenedPage, tooManyLinksPage } from './link-pages.js';

/** How long a browser keeps the secret of an opened link, in seconds. Opening the link again restarts this time. */
const KEPT_SECONDS = 3600;

/** The value of the cookie for a link that does not work, or no longer. */
const OVER = 'over';

/** How many links that do not work one address may open in 15 minutes. */
const MAX_WRONG = 30;

/** One kind of link: its page, its cookie and the beginning of its secrets. */
export interface LinkKind {
  readonly path: LinkPath;
  readonly cookie: 'cws_invite' | 'cws_reset' | 'cws_email';
  readonly prefix: LinkPrefix;
}

export interface OneTimeLinkDeps {
  readonly limit: RateLimiter;
  /** Whether browsers reach the service by https. */
  readonly isSecure: boolean;
}

/**
 * The secret of a one-time link. When the link is opened, the secret moves from the address into a
 * cookie for that one path, and the browser is redirected to the address without it. So the secret is in no history, no
 * `Referer`, no page and no form, and in no address when it is used.
 */
export class OneTimeLink {
  constructor(
    private readonly kind: LinkKind,
    private readonly deps: OneTimeLinkDeps,
  ) {}

  /**
   * The target of the opened link, and its secret.
   * @param find looks the target up by the secret
   * @returns undefined when the response has been sent: the browser is redirected, or the link does not work
   */
  async open<T>(
    context: BufferedContext,
    find: (token: string) => Promise<T | undefined>,
  ): Promise<{ readonly token: string; readonly found: T } | undefined> {
    if (this.moveSecretToCookie(context)) {
      return undefined;
    }
    const opened = await this.find(context, find);
    if (opened === undefined) {
      this.sendGone(context);
      return undefined;
    }
    if ('waitSeconds' in opened) {
      context.response.setHeader('Retry-After', String(opened.waitSeconds));
      sendPage(context, 429, tooManyLinksPage(opened.waitSeconds));
      return undefined;
    }
    return opened;
  }

  /** Moves the secret from the URL to the cookie, if there is one. @returns whether the response has been sent. */
  private moveSecretToCookie({ response, query, form }: BufferedContext): boolean {
    const given = query.get(LINK_PARAMETER);
    if (given === null || form !== undefined) {
      return false;
    }
    const token = readLinkToken(given, this.kind.prefix);
    this.setCookie(response, token ?? OVER);
    sendRedirect(response, this.kind.path);
    return true;
  }

  /**
   * Finds the target of the opened link. Only invalid links are counted: clients at the same address cannot use up
   * the attempts for a valid link. A secret is too long to be guessed.
   * @param find looks that up by the secret.
   * @returns undefined when the link does not work; `waitSeconds` when too many such links came from the same address.
   */
  private async find<T>(
    { request, clientAddress }: BufferedContext,
    find: (token: string) => Promise<T | undefined>,
  ): Promise<
    { readonly token: string; readonly found: T } | { readonly waitSeconds: number } | undefined
  > {
    const token = cookieIn(request, this.kind.cookie, this.deps.isSecure);
    if (!isLinkToken(token, this.kind.prefix)) {
      return undefined;
    }
    const found = await find(token);
    if (found !== undefined) {
      return { token, found };
    }
    const taken = await this.deps.limit.consume([
      { key: ['wrong links from address', clientAddress], max: MAX_WRONG },
    ]);
    return 'waitSeconds' in taken ? taken : undefined;
  }

  /** Deletes the secret from the browser. A mark stays, so that the page says that the link is over. */
  end(response: ServerResponse): void {
    this.setCookie(response, OVER);
  }

  /** Answers when nothing is found, or no longer. Without the cookie, the link was not opened here. */
  sendGone(context: BufferedContext): void {
    const isOpened = cookieIn(context.request, this.kind.cookie, this.deps.isSecure) !== '';
    if (isOpened) {
      this.end(context.response);
    }
    sendPage(context, 404, isOpened ? linkExpiredPage() : linkNotOpenedPage());
  }

  private setCookie(response: ServerResponse, value: string): void {
    const { cookie, path } = this.kind;
    const life = { path, maxAge: KEPT_SECONDS, isSecure: this.deps.isSecure };
    response.appendHeader('Set-Cookie', cookieHeader(cookie, value, life));
  }
}
