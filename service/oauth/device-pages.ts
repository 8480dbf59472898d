import type { ErrorOut, KoaContextWithOIDC, Provider, UnknownObject } from 'oidc-provider';
import { isRoute } from './device-responses.js';
import { confirmCodePage, enterCodePage } from '../pages/device.js';
import { contentSecurityPolicy } from '../pages/layout.js';
import type { Html } from '../pages/html.js';
import { connectedPage, deniedPage, problemPage } from '../pages/outcome.js';
import { ROUTES } from './routes.js';

type Client = InstanceType<Provider['Client']>;

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

/** The page that asks for the code (RFC 8628 §3.3), also after a code that was not accepted. */
export function renderEnterCode(
  ctx: KoaContextWithOIDC,
  _form: string,
  _out?: ErrorOut,
  error?: Error,
): void {
  if (error?.name === 'AbortedError') {
    send(ctx, 200, deniedPage());
    return;
  }
  const code = error !== undefined && 'userCode' in error ? String(error.userCode) : undefined;
  const problem =
    error && (CODE_PROBLEMS[error.name] ?? 'Something went wrong. Enter the code again.');
  send(
    ctx,
    statusOf(error),
    enterCodePage({ action: ROUTES.code_verification, xsrf: xsrf(ctx), code, problem }),
  );
}

/** The page on which the person compares the code with the one in the app (RFC 8628 §3.3.1). */
export function renderConfirmCode(
  ctx: KoaContextWithOIDC,
  _form: string,
  client: Client,
  _deviceInfo: UnknownObject,
  userCode: string,
): void {
  const clientName = client.clientName ?? client.clientId;
  send(
    ctx,
    200,
    confirmCodePage({
      action: ROUTES.code_verification,
      xsrf: xsrf(ctx),
      code: userCode,
      clientName,
    }),
  );
}

/** The last page after Allow. */
export function renderConnected(ctx: KoaContextWithOIDC): void {
  const client = ctx.oidc.client;
  send(ctx, 200, connectedPage(client?.clientName ?? client?.clientId ?? 'the app'));
}

/** The page for an error that has no better place. Machine endpoints answer JSON instead. */
export function renderProviderError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  send(ctx, ctx.status, problemPage(out.error_description ?? out.error));
}

/**
 * A code that came in the address (`verification_uri_complete`) must be confirmed by the person.
 * oidc-provider would submit it by a script; this puts the page to compare the code in its place.
 */
export async function codeVerificationPage(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  await next();
  if (ctx.method !== 'GET' || ctx.status !== 200 || !isRoute(ctx, 'code_verification')) return;
  const code = ctx.oidc.params?.['user_code'];
  if (typeof code === 'string') {
    send(ctx, 200, confirmCodePage({ action: ROUTES.code_verification, xsrf: xsrf(ctx), code }));
  }
}

function statusOf(error: Error | undefined): number {
  if (error === undefined) return 200;
  const status = 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 ? status : 400;
}

/** The anti-forgery token that oidc-provider keeps in the browser's session and checks on POST. */
function xsrf(ctx: KoaContextWithOIDC): string {
  const secret = ctx.oidc.session?.state?.['secret'];
  return typeof secret === 'string' ? secret : '';
}

function send(ctx: KoaContextWithOIDC, status: number, page: Html): void {
  ctx.status = status;
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', contentSecurityPolicy());
  ctx.body = page.toString();
}
