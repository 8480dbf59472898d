import type { ErrorOut, KoaContextWithOIDC, Provider, UnknownObject } from 'oidc-provider';
import { isRoute } from './device-responses.js';
import { confirmCodePage, enterCodePage } from '../pages/device.js';
import { contentSecurityPolicy } from '../pages/layout.js';
import type { Html } from '../pages/html.js';
import { connectedPage, deniedPage, problemPage, requestProblemPage } from '../pages/outcome.js';
import { markWrongCode } from './code-entry-limit.js';
import type { FormTokens } from './form-tokens.js';
import { ROUTES } from './routes.js';

type Client = InstanceType<Provider['Client']>;

/** For the anti-forgery token of somebody who is not signed in. */
const NEW_SESSION_SECONDS = 3600;

const ALREADY_USED = 'This code was already used. Get a new code in the app and enter it here.';

/** What the page says, by the name of the error that oidc-provider raised over a code. */
const CODE_PROBLEMS: Readonly<Record<string, string>> = {
  NoCodeError: 'Enter the code that the app shows.',
  NotFoundError: 'No app is waiting with this code. Check it for typing mistakes and try again.',
  ExpiredError: 'This code has expired. Get a new code in the app and enter it here.',
  AlreadyUsedError: ALREADY_USED,
  CodeDecidedError: ALREADY_USED,
  SessionNotFound: 'This page was open for too long. Enter the code again.',
  InvalidRequest: 'That did not work. Enter the code again.',
};

/** Our pages in place of oidc-provider's own. */
export class DevicePages {
  private readonly tokens: FormTokens;

  constructor(tokens: FormTokens) {
    this.tokens = tokens;
  }

  /** The page that asks for the code (RFC 8628 §3.3), also after a code that was not accepted. */
  readonly enterCode = async (
    ctx: KoaContextWithOIDC,
    _form: string,
    _out?: ErrorOut,
    error?: Error,
  ): Promise<void> => {
    if (error !== undefined) await this.keepNewSession(ctx);
    if (error?.name === 'AbortedError') {
      send(ctx, 200, deniedPage());
      return;
    }
    if (error?.name === 'NotFoundError') markWrongCode(ctx);
    const code = error !== undefined && 'userCode' in error ? String(error.userCode) : undefined;
    const problem =
      error && (CODE_PROBLEMS[error.name] ?? 'Something went wrong. Enter the code again.');
    send(
      ctx,
      statusOf(error),
      enterCodePage({ action: ROUTES.code_verification, xsrf: this.xsrf(ctx), code, problem }),
    );
  };

  /** The page on which the person compares the code with the one in the app (RFC 8628 §3.3.1). */
  readonly confirmCode = (
    ctx: KoaContextWithOIDC,
    _form: string,
    client: Client,
    _deviceInfo: UnknownObject,
    userCode: string,
  ): void => {
    const clientName = client.clientName ?? client.clientId;
    send(
      ctx,
      200,
      confirmCodePage({
        action: ROUTES.code_verification,
        xsrf: this.xsrf(ctx),
        code: userCode,
        clientName,
      }),
    );
  };

  /** The last page after Allow. */
  readonly connected = (ctx: KoaContextWithOIDC): void => {
    const client = ctx.oidc.client;
    send(ctx, 200, connectedPage(client?.clientName ?? client?.clientId ?? 'the app'));
  };

  /**
   * Goes around oidc-provider's handling of the code page, for two things:
   *
   * A code that came in the address (`verification_uri_complete`) must be confirmed by the person.
   * oidc-provider would submit it by a script; this puts the page to compare the code in its place.
   *
   * oidc-provider makes a new anti-forgery secret each time the page is shown and forgets it when a
   * code is accepted, so that the form in an older tab fails. This puts a secret in its place that
   * is always the same for one session.
   */
  readonly around = async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    if (!isRoute(ctx, 'code_verification') && !isRoute(ctx, 'device_resume')) return;
    const code = ctx.oidc.params?.['user_code'];
    if (ctx.method === 'GET' && ctx.status === 200 && typeof code === 'string') {
      const page = { action: ROUTES.code_verification, xsrf: this.xsrf(ctx), code };
      if (isRoute(ctx, 'code_verification')) send(ctx, 200, confirmCodePage(page));
    }
    const session = ctx.oidc.session;
    // A session that was never saved belongs to nobody.
    if (session === undefined || typeof session.exp !== 'number') return;
    if (session.state?.['secret'] === this.xsrf(ctx)) return;
    session.state = { secret: this.xsrf(ctx) };
    await session.persist();
  };

  /**
   * Stores the session of a browser that came without one, or with one that has ended, and failed.
   * oidc-provider does not, and then fails itself over the anti-forgery secret it puts there.
   */
  private async keepNewSession(ctx: KoaContextWithOIDC): Promise<void> {
    const session = ctx.oidc.session;
    if (session === undefined || typeof session.exp === 'number') return;
    session.state = { secret: this.xsrf(ctx) };
    await session.save(NEW_SESSION_SECONDS);
    ctx.cookies.set(ctx.oidc.provider.cookieName('session'), session.jti, {
      httpOnly: true,
      sameSite: 'lax',
      signed: true,
      maxAge: NEW_SESSION_SECONDS * 1000,
    });
  }

  /** What oidc-provider finds in the browser's session and compares with the form's. */
  private xsrf(ctx: KoaContextWithOIDC): string {
    return this.tokens.make('device', ctx.oidc.session?.uid ?? '');
  }
}

/** The page for an error that has no better place. Machine endpoints answer JSON instead. */
export function renderProviderError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  const sentence = out.error_description ?? out.error;
  const page = isRoute(ctx, 'authorization') || isRoute(ctx, 'resume');
  send(ctx, ctx.status, page ? requestProblemPage(sentence) : problemPage(sentence));
}

/** The page for who entered too many wrong codes. */
export function renderTooManyCodes(ctx: KoaContextWithOIDC, sentence: string): void {
  send(ctx, 429, problemPage(sentence));
}

function statusOf(error: Error | undefined): number {
  if (error === undefined) return 200;
  const status = 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 ? status : 400;
}

function send(ctx: KoaContextWithOIDC, status: number, page: Html): void {
  ctx.status = status;
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', contentSecurityPolicy());
  ctx.body = page.toString();
}
