import type { Provider } from 'oidc-provider';
import type { Queryable } from '../../kernel/database/database.js';
import type { BufferedContext, RequestContext } from '../../kernel/http/request/request-context.js';
import { sendError, sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { permit, type Permission } from '../../kernel/http/permission.js';
import type { BufferedRoute } from '../../kernel/http/router.js';
import { browserSession } from './browser-session.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import { csrfExpiredPage } from '../../site/error-pages.js';
import type { MenuEntry } from '../../kernel/module.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import { PROJECTS } from '../../site/addresses/project-paths.js';
import { ownSignIn, SETTINGS } from '../../site/addresses/settings-paths.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import type {
  AuthenticatedRequest,
  OpenPageHandler,
  PageHandler,
  SessionUser,
} from './authenticated-request.js';
import { isUseDue, touchBrowserSession } from '../browsers/signed-in-browsers.js';
import type { ClientAddress } from '../../kernel/http/request/client-address.js';
import { showNotices, type Notices } from '../notices/notice-words.js';
import { loadSessionUser, type StoredSessionUser } from './session-user.js';
import type { Account } from '../accounts/accounts.js';
import { cookieHeader, cookieIn } from '../../kernel/cookies.js';

export interface SessionGuardDeps {
  readonly provider: Provider;
  readonly database: Queryable;
  /** The origin of the service. */
  readonly baseUrl: string;
  readonly formTokens: CsrfTokens;
  /** Whether browsers reach the service by https. */
  readonly isSecure: boolean;
  readonly addressOf: ClientAddress;
  /** The declared notices, with their sentences. */
  readonly notices: Notices;
  readonly now: () => Date;
  /** The pages of all menus, sorted. */
  readonly menu: readonly MenuEntry[];
  /** See `Module.flashMessages`. */
  readonly flashMessages: ReadonlyMap<string, Message>;
}

/** How long a browser remembers who was signed in. */
const SEEN_SECONDS = 365 * 24 * 3600;

/** The user whose browser sent a request, the workspace that it is about, and the id of the session. */
export interface ScriptSender {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly sessionId: string;
}

/** The handlers of a page by method. */
type PageHandlers<H> = Readonly<Partial<Record<'GET' | 'POST', H>>>;

/**
 * Makes the routes of the pages that depend on the session of a browser. Most of them redirect signed-out users to the
 * sign-in page, and require the anti-forgery token of the session in forms.
 */
export class SessionGuard {
  /** The permission of the scripts of our own pages, for a workspace of their user. */
  readonly scripts: Permission<ScriptSender> = {
    kind: 'session',
    condition: 'session: a script of our pages, for a workspace of its user',
    authorize: (context) => this.requireScript(context),
  };
  private readonly signedIn: Permission<AuthenticatedRequest, BufferedContext> = {
    kind: 'session',
    condition: 'session',
    authorize: async (context) => this.require(context, await this.identify(context)),
  };
  private readonly ownSignIn: Permission<AuthenticatedRequest, BufferedContext> = {
    kind: 'session',
    condition: 'session: by the own sign-in of its user',
    authorize: async (context) => {
      const request = await this.signedIn.authorize(context);
      if (request?.session.company !== undefined) {
        sendRedirect(context.response, ownSignIn(context.target.path));
        return undefined;
      }
      return request;
    },
  };
  private readonly visitor: Permission<SessionUser, BufferedContext> = {
    kind: 'open',
    condition: 'open: the session counts if there is one',
    authorize: (context) => this.identify(context),
  };

  constructor(private readonly deps: SessionGuardDeps) {}

  /** A page for signed-in users. */
  page(
    path: string,
    handlers: PageHandlers<PageHandler>,
    options: Pick<BufferedRoute, 'maxBodyBytes' | 'takesFile' | 'tooLarge'> = {},
  ): BufferedRoute {
    const endpoints = permit(this.signedIn, receiving(handlers));
    return { path, kind: 'page', trailingSlash: true, ...options, handlers: endpoints };
  }

  /**
   * A page that changes how a user signs in. A session that a company opened is led to the user's own sign-in, which opens
   * everything: the provider of the company can sign in as any of its users.
   */
  ownPage(path: string, handlers: PageHandlers<PageHandler>): BufferedRoute {
    const endpoints = permit(this.ownSignIn, receiving(handlers));
    return { path, kind: 'page', trailingSlash: true, handlers: endpoints };
  }

  /** A file for signed-in users. */
  file(
    path: string,
    handlers: PageHandlers<PageHandler>,
    options: Pick<BufferedRoute, 'maxBodyBytes'> = {},
  ): BufferedRoute {
    const endpoints = permit(this.signedIn, receiving(handlers));
    return { path, kind: 'page', sendsFile: true, ...options, handlers: endpoints };
  }

  /** A page for everybody; its handlers get the session. */
  openPage(path: string, handlers: PageHandlers<OpenPageHandler>): BufferedRoute {
    return { path, kind: 'page', trailingSlash: true, handlers: permit(this.visitor, handlers) };
  }

  /**
   * Lets a request pass whose sender is signed in, and whose form, if any, was made for their session.
   * @returns undefined when it may not pass; the response has been sent then.
   */
  require(context: BufferedContext, user: SessionUser): AuthenticatedRequest | undefined {
    const { form, target, query } = context;
    const { account, session, memberships } = user;
    if (account === undefined && form === undefined) {
      const to = new URLSearchParams({ to: target.path + target.search });
      sendRedirect(context.response, `${SETTINGS.signIn}?${to.toString()}`);
      return undefined;
    }
    const isOwnForm =
      form === undefined || this.deps.formTokens.matches(form.get('csrf'), session.csrf);
    if (account === undefined || !isOwnForm) {
      sendPage(context, 403, csrfExpiredPage(isAboutPhotos(target.path) ? 'photos' : 'settings'));
      return undefined;
    }
    return {
      ...context,
      ...user,
      account,
      shell: {
        menu: this.deps.menu,
        csrf: session.csrf,
        accountName: account.displayName,
        username: account.username,
        memberships,
        address: context.locale.menu?.address ?? PHOTOS.root,
        notices: showNotices(this.deps.notices, user.notices),
        workspace: memberships.find((one) => one.id === query.get('workspace')) ?? memberships[0],
        flash:
          this.rememberUser(context, account) ??
          this.deps.flashMessages.get(query.get('flash') ?? ''),
      },
    };
  }

  /**
   * Remembers in the browser who is signed in.
   * @returns the message for the first page after somebody else has signed in there; undefined for other requests.
   */
  private rememberUser(
    { request, response }: BufferedContext,
    { id, displayName: name }: Account,
  ): Message | undefined {
    const { isSecure } = this.deps;
    const showsPage = request.headers.accept?.includes('text/html') === true;
    if (request.method !== 'GET' || !showsPage) {
      return undefined;
    }
    const seen = cookieIn(request, 'cws_user', isSecure);
    if (seen === id) {
      return undefined;
    }
    const life = { path: '/', maxAge: SEEN_SECONDS, isSecure };
    response.appendHeader('Set-Cookie', cookieHeader('cws_user', id, life));
    return seen === '' ? undefined : message('nowSignedInAs', { name });
  }

  /** Finds the session of the browser and its signed-in user. */
  private async identify(context: BufferedContext): Promise<SessionUser> {
    const stored = await loadSessionUser(this.deps, context);
    await this.touchSession(stored, context);
    return {
      session: browserSession(this.deps, context.request, context.response, stored.session),
      account: stored.account,
      memberships: stored.memberships,
      sessionId: stored.sessionId,
      notices: stored.notices,
    };
  }

  /** Stores, once a minute, that a browser uses its session. */
  private async touchSession(
    { account, sessionId, lastUsedAt }: StoredSessionUser,
    { request }: BufferedContext,
  ): Promise<void> {
    const { database, addressOf, now } = this.deps;
    if (account !== undefined && sessionId !== undefined && isUseDue(lastUsedAt, now())) {
      const session = { sessionId, accountId: account.id };
      await touchBrowserSession(database, session, { request, addressOf }, now());
    }
  }

  /**
   * Lets a request of a script of our own pages pass. It must carry the anti-forgery token of the session in a header, which
   * no other site can read, and come from the origin of the service. `X-Workspace` names the workspace that it is about.
   * @returns undefined when it may not pass; the response has been sent then.
   */
  private async requireScript(context: RequestContext): Promise<ScriptSender | undefined> {
    const { request, response } = context;
    const workspaceId = request.headers['x-workspace']?.toString() ?? '';
    const { session, sessionId, account, memberships } = await loadSessionUser(this.deps, context);
    if (account === undefined || sessionId === undefined) {
      sendError(response, 401, 'login_required', 'sign in again');
      return undefined;
    }
    const { csrf } = browserSession(this.deps, request, response, session);
    const given = request.headers['x-csrf-token']?.toString();
    const isOwn =
      isOfOrigin(request, new URL(this.deps.baseUrl).origin) &&
      this.deps.formTokens.matches(given ?? '', csrf);
    if (!isOwn) {
      sendError(response, 403, 'invalid_csrf_token', 'reload the page');
      return undefined;
    }
    if (!memberships.some(({ id }) => id === workspaceId)) {
      sendError(response, 403, 'access_denied', 'you are not a member of the workspace');
      return undefined;
    }
    return { accountId: account.id, workspaceId, sessionId };
  }
}

/** Whether a script of this origin sent a request. Browsers set these headers; scripts cannot change them. */
function isOfOrigin({ headers }: RequestContext['request'], own: string): boolean {
  const site = headers['sec-fetch-site'];
  const isSameSite = site === undefined || site === 'same-origin';
  return isSameSite && (headers.origin === undefined || headers.origin === own);
}

/** The handlers of a page as the pipeline calls them. */
function receiving(
  handlers: PageHandlers<PageHandler>,
): Readonly<Record<string, (context: unknown, request: AuthenticatedRequest) => Promise<void>>> {
  return Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [method, (_, request) => handler(request)]),
  );
}

/** Whether a path, with or without a query, is one of the pages about photos, their projects and links. */
export function isAboutPhotos(address: string): boolean {
  return new RegExp(`^(${PHOTOS.root}|${PROJECTS.root}|${SHARES.root})(?=[/?]|$)`).test(address);
}
