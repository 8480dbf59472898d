import {
  errors,
  type ErrorOut,
  type KoaContextWithOIDC,
  type Provider,
  type UnknownObject,
} from 'oidc-provider';
import { foldTyped } from '../../kernel/typed-text.js';
import { chooseNumberPage } from '../pages/choose-number.js';
import { confirmCodePage, enterCodePage, type CodeForm } from '../pages/device.js';
import { deviceInfoOf } from './device-info.js';
import type { Page } from '../../kernel/html/layout.js';
import {
  connectedPage,
  deniedPage,
  otherUserPage,
  expiredPage,
  errorPage,
  requestProblemPage,
  signInGonePage,
} from '../../site/error-pages.js';
import { withReturnUrl } from '../../kernel/i18n/page-locale.js';
import { message, type PlainKey, type Message } from '../../kernel/i18n/message.js';
import { BufferedRequest } from '../../kernel/http/request/buffered-request.js';
import { writePage } from '../../kernel/http/responses.js';
import { denialOf } from '../interactions/denials.js';
import type { FinishedInteractions } from '../interactions/finished-interactions.js';
import { blocksCookies, ensureCsrfCookie, type CsrfTokens } from '../../identity/index.js';
import { isRoute, stateOf } from '../context/request-state.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';
import { ACCOUNT_CHOICE_QUERY, requestsAccountChoice } from './account-choice.js';
import { continueForm } from '../interactions/restart-interaction.js';

type Client = InstanceType<Provider['Client']>;

/** The form of the user codes, as oidc-provider's options take it. */
export const USER_CODES = { charset: 'base-20', mask: '****-****' } as const;

/** A user code without its dash, to compare typed codes. */
const USER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** More than any way to write a code. */
const MAX_TYPED_LENGTH = 40;

/** The message about a code, by the name of oidc-provider's error. */
const CODE_PROBLEMS: ReadonlyMap<string, PlainKey> = new Map<string, PlainKey>([
  ['NoCodeError', 'codeMissing'],
  ['NotFoundError', 'codeUnknown'],
  ['ExpiredError', 'codeExpired'],
  ['AlreadyUsedError', 'codeUsed'],
  ['CodeDecidedError', 'codeUsed'],
  ['SessionNotFound', 'codePageTooOld'],
  ['InvalidRequest', 'codeFailed'],
]);

/** Our pages in place of oidc-provider's own. */
export class DevicePages {
  constructor(
    private readonly formTokens: CsrfTokens,
    private readonly finished: FinishedInteractions,
    private readonly now: () => Date,
  ) {}

  /**
   * The page for entering the code ([RFC 8628 §3.3](https://www.rfc-editor.org/rfc/rfc8628#section-3.3)), also after a
   * rejected code.
   */
  readonly enterCode = async (
    ctx: KoaContextWithOIDC,
    _form: string,
    _out?: ErrorOut,
    error?: Error,
  ): Promise<void> => {
    if (error?.name === 'AbortedError') {
      send(
        ctx,
        200,
        deniedPage(denialOf(ctx.oidc.entities.Interaction?.result?.['error_description'])),
      );
      return;
    }
    if (error instanceof errors.SessionNotFound && (await this.sendEnded(ctx))) {
      return;
    }
    if (error?.name === 'NotFoundError') {
      stateOf(ctx).isWrongCode = true;
    }
    const code = error !== undefined && 'userCode' in error ? String(error.userCode) : '';
    const isBlocked =
      error instanceof errors.InvalidRequest &&
      blocksCookies(ctx, shownAtIn(ctx.oidc.body), this.seconds());
    const problem = isBlocked ? message('cookiesBlocked') : error && problemOf(error);
    this.askForCode(ctx, statusOf(error), problem, code);
  };

  /**
   * The page on which users compare the code with the one in the app
   * ([RFC 8628 §3.3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.3.1)).
   */
  readonly confirmCode = (
    ctx: KoaContextWithOIDC,
    _form: string,
    client: Client,
    _deviceInfo: UnknownObject,
    userCode: string,
  ): void => {
    const page = { ...this.formOf(ctx), code: userCode };
    send(ctx, 200, confirmCodePage({ ...page, clientName: client.clientName ?? client.clientId }));
  };

  /** The page after Allow: the last one, or the number for the user to choose in the app. */
  readonly connected = (ctx: KoaContextWithOIDC): void => {
    const { client, entities } = ctx.oidc;
    const { DeviceCode: code, Interaction: interaction } = entities;
    const clientName = client?.clientName ?? client?.clientId;
    const device = code && deviceInfoOf(code);
    const page =
      device?.number === undefined || interaction === undefined
        ? connectedPage(clientName)
        : chooseNumberPage({
            number: device.number.number,
            appName: clientName ?? '',
            deviceName: device.name,
            continuation: continueForm(interaction, this.formTokens),
          });
    send(ctx, 200, page);
  };

  /** The page for an error that no other page shows. Endpoints for programs answer with JSON instead. */
  readonly renderError = async (
    ctx: KoaContextWithOIDC,
    out: ErrorOut,
    error: Error,
  ): Promise<void> => {
    if (error instanceof errors.SessionNotFound) {
      if (!(await this.sendEnded(ctx))) {
        send(ctx, ctx.status, expiredPage());
      }
      return;
    }
    const ofApp = isRoute(ctx, 'authorization') || isRoute(ctx, 'resume');
    const page = ofApp
      ? requestProblemPage(out.error_description ?? out.error)
      : errorPage(message('didNotWorkSentence'));
    send(ctx, ctx.status, page);
  };

  /**
   * Replaces those of oidc-provider's pages that no option replaces. They need a script, which the browser would block:
   *
   * - A code that came in the address (`verification_uri_complete`) must be confirmed by the user; the library would
   *   submit it. Other text in the address is not shown, since attackers could put a sentence there.
   * - Another user signed in during this user's sign-in; the library would sign the other user out.
   */
  readonly around = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const given = isRoute(ctx, 'code_verification') ? ctx.query['user_code'] : undefined;
    if (ctx.method === 'GET' && ctx.status === 200 && given !== undefined && given !== '') {
      const code = asUserCode(given);
      if (code === undefined) {
        // The code in the address is not to be requested again.
        const page = enterCodePage({
          ...this.formOf(ctx),
          code: '',
          problem: message('codeUnknown'),
        });
        const query = requestsAccountChoice(ctx) ? ACCOUNT_CHOICE_QUERY : '';
        send(ctx, 400, page, ROUTES.code_verification + query);
      } else {
        send(ctx, 200, confirmCodePage({ ...this.formOf(ctx), isByLink: true, code }));
      }
    }
    const isRedirect = ctx.status >= 300 && ctx.status < 400;
    if (ctx.response.is('html') !== 'html' || isRedirect || stateOf(ctx).hasPage === true) {
      return;
    }
    const changedHands = isRoute(ctx, 'resume') || isRoute(ctx, 'device_resume');
    const interaction = changedHands ? ctx.oidc.entities.Interaction : undefined;
    if (interaction === undefined) {
      send(ctx, 400, errorPage(message('didNotWorkSentence')));
    } else {
      send(ctx, 409, otherUserPage(continueForm(interaction, this.formTokens)));
    }
  };

  private askForCode(
    ctx: KoaContextWithOIDC,
    status: number,
    problem: Message | undefined,
    code: string,
  ): void {
    send(ctx, status, enterCodePage({ ...this.formOf(ctx), code, problem }));
  }

  /** Shows why an interaction of this browser cannot continue: its sign-in is missing, or it has ended. */
  private async sendEnded(ctx: KoaContextWithOIDC): Promise<boolean> {
    const { entities, session } = ctx.oidc;
    // First: a second press of the button may have ended the interaction after the library had found it.
    if (await this.sendFinished(ctx)) {
      return true;
    }
    // If the library found one, by this browser's cookie, then the sign-in is another one than the page's.
    if (entities.Interaction === undefined) {
      return false;
    }
    const continuation = continueForm(entities.Interaction, this.formTokens);
    send(ctx, 400, signInGonePage(session?.accountId !== undefined, continuation));
    return true;
  }

  /**
   * Shows the outcome when the address of an ended interaction is opened again. Only its own browser sees it. That
   * browser has the interaction's cookie or, if a concurrent request has removed the cookie, the user's session.
   */
  private async sendFinished(ctx: KoaContextWithOIDC): Promise<boolean> {
    const { provider, session } = ctx.oidc;
    const uid = ctx.cookies.get(provider.cookieName('resume'), { signed: true });
    const answer =
      uid === undefined
        ? await this.finished.answerTo(provider, lastSegment(ctx.path), session?.accountId)
        : await this.finished.answer(provider, uid);
    if (answer !== undefined) {
      send(ctx, answer.status, answer.page);
    }
    return answer !== undefined;
  }

  /**
   * The values for a form of this kind. oidc-provider compares the token `xsrf` with the one that
   * session-persistence.ts puts into the session.
   */
  private formOf(ctx: KoaContextWithOIDC): CodeForm {
    const xsrf = this.formTokens.make('device', ensureCsrfCookie(ctx));
    return {
      action: ROUTES.code_verification,
      xsrf,
      shownAt: this.seconds(),
      isByLink: false,
      choosesAccount: requestsAccountChoice(ctx),
    };
  }

  private seconds(): number {
    return Math.floor(this.now().getTime() / 1000);
  }
}

/** When the submitted form was shown, according to the form. */
function shownAtIn(form: unknown): unknown {
  return typeof form === 'object' && form !== null ? Reflect.get(form, 'shown_at') : undefined;
}

/** The page after a limit was reached, for instance of wrong codes. */
export function renderTooMany(ctx: KoaContextWithOIDC, problem: Message): void {
  send(ctx, 429, errorPage(problem));
}

/** The id of an interaction: the end of the address to which the browser returns. */
function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A typed or linked code in the service's format; undefined when it cannot be a code. */
function asUserCode(given: string | readonly string[]): string | undefined {
  if (typeof given !== 'string' || given.length > MAX_TYPED_LENGTH) {
    return undefined;
  }
  const letters = foldTyped(given)
    .toUpperCase()
    .replace(/[^A-Z0-9_]/g, '');
  return USER_CODE.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined;
}

function problemOf(error: Error): Message {
  return message(CODE_PROBLEMS.get(error.name) ?? 'codeFailed');
}

function statusOf(error: Error | undefined): number {
  if (error === undefined) {
    return 200;
  }
  const status = 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 ? status : 400;
}

/**
 * Answers with a page of ours.
 * @param returnUrl where the language menu leads, if not to the address of the request.
 * @throws {TypeError} when the request did not come through the request pipeline.
 */
export function send(
  ctx: KoaContextWithOIDC,
  status: number,
  page: Page,
  returnUrl?: string,
): void {
  if (!(ctx.req instanceof BufferedRequest)) {
    throw new TypeError('the request was not buffered');
  }
  const { locale, clientFiles } = ctx.req;
  ctx.status = status;
  ctx.body = writePage(
    {
      response: ctx.res,
      locale: returnUrl === undefined ? locale : withReturnUrl(locale, returnUrl),
      pictureOrigins: [],
      clientFiles,
    },
    page,
  );
  stateOf(ctx).hasPage = true;
}
