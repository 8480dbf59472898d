import { LINK_EVENTS } from './events.js';
import type { Audit } from '../../identity/index.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import type { LinkPermissions, LinkRequest } from './link-permission.js';
import { shareLockedPage } from './public-share-pages.js';
import type { PublicShareViews } from './public-share-views.js';
import type { ShareCookie } from './share-cookie.js';
import type { SharePasswords } from './share-passwords.js';
import { linkForLog } from './share.js';

export interface LinkPageDeps {
  readonly cookie: ShareCookie;
  readonly passwords: SharePasswords;
  readonly audit: Audit;
}

/** Answers a GET or POST of the address of a link. A POST is the form with its password. */
export function linkPage(
  deps: LinkPageDeps,
  permissions: LinkPermissions,
  views: PublicShareViews,
): (link: LinkRequest) => Promise<void> {
  return async (link) => {
    const { context } = link;
    if (await views.welcome(link)) {
      return;
    }
    const passwordHash = permissions.requiredPassword(link);
    if (passwordHash !== undefined) {
      await askPassword(deps, link, passwordHash);
    } else if (context.form !== undefined) {
      sendRedirect(context.response, SHARES.shared(link.token));
    } else {
      await views.gallery(link);
    }
  };
}

async function askPassword(
  deps: LinkPageDeps,
  { context, share, token }: LinkRequest,
  passwordHash: string,
): Promise<void> {
  const { request, response, form } = context;
  const { cookie, passwords } = deps;
  const ask = (status: number, problem: Message | undefined): void => {
    const csrf = cookie.formToken(request, response, share, token);
    sendPage(context, status, shareLockedPage(csrf, problem));
  };
  if (form === undefined) {
    ask(200, undefined);
    return;
  }
  if (!cookie.isOwnForm(request, share, form.get('csrf'))) {
    ask(403, message('shareAgain'));
    return;
  }
  const password = form.get('password') ?? '';
  const problem = await passwords.problemOf({ id: share.id, passwordHash }, password, {
    request,
    response,
  });
  if (problem === undefined) {
    cookie.open(response, share, token);
    sendRedirect(response, SHARES.shared(token));
    return;
  }
  // A guest over the limit (429) does not learn whether the password was right, and does not fill the log.
  if (problem.status === 401) {
    await deps.audit(
      response,
      LINK_EVENTS.passwordRefused,
      linkForLog({ ...share, workspaceId: share.workspace.id }),
    );
  }
  if (problem.retryAfterSeconds !== undefined) {
    response.setHeader('Retry-After', String(problem.retryAfterSeconds));
  }
  ask(problem.status, problem.problem);
}
