import type { Provider } from 'oidc-provider';
import {
  dismissNotices,
  isAboutPhotos,
  reachOf,
  type AuthenticatorApps,
  type Audit,
  type PersonalTokens,
  type CsrfTokens,
  type OpenPageHandler,
  type PageHandler,
  type SessionGuard,
} from '../../identity/index.js';
import type { Database } from '../../kernel/database/database.js';
import { sendRedirect } from '../../kernel/http/responses.js';
import { getAndPost, type BufferedRoute, type Route } from '../../kernel/http/router.js';
import type { DeviceTable } from '../../library/index.js';
import type {
  ConnectedApps,
  ReservedClientNames,
  WorkspaceClients,
  SignInStep,
} from '../../oauth/index.js';
import { message } from '../../kernel/i18n/message.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { COMPANY_PATHS, pageAfterSignIn } from '../../site/addresses/company-paths.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import type { WebhookTable } from '../webhooks/index.js';
import { application } from './application.js';
import { connectedApps } from './connected-apps.js';
import { developer, revokeToken } from './developer.js';
import { newApplication } from './new-application.js';
import { newToken } from './new-token.js';
import { OWN_SIGN_IN, SETTINGS } from '../../site/addresses/settings-paths.js';

export interface SettingsRoutesDeps {
  readonly guard: SessionGuard;
  readonly provider: Provider;
  readonly signIn: SignInStep;
  readonly connections: ConnectedApps;
  readonly database: Database;
  readonly audit: Audit;
  readonly clients: WorkspaceClients;
  readonly officialNames: ReservedClientNames;
  readonly personalTokens: PersonalTokens;
  readonly authenticators: Pick<AuthenticatorApps, 'isOn'>;
  readonly webhooks: Pick<WebhookTable, 'of'>;
  readonly formTokens: CsrfTokens;
  readonly devices: Pick<DeviceTable, 'waiting'>;
  readonly now: () => Date;
}

/**
 * Settings: connected apps, OAuth applications (for owners), personal access tokens. A POST that succeeds is answered
 * with a redirect, unless the page shows a new secret. The sign-in and sign-out of all pages for users are here, too.
 */
export function settingsRoutes(deps: SettingsRoutesDeps): Route[] {
  const { guard } = deps;
  const signInRoute: BufferedRoute = {
    ...guard.openPage(SETTINGS.signIn, getAndPost(signIn(deps))),
    repeatsPage: true,
  };
  return [
    guard.page(SETTINGS.root, {
      GET: ({ response }) => {
        sendRedirect(response, SETTINGS.apps);
        return Promise.resolve();
      },
    }),
    signInRoute,
    guard.openPage(SETTINGS.signOut, { POST: signOut(guard) }),
    guard.page(SETTINGS.apps, getAndPost(connectedApps(deps))),
    guard.page(SETTINGS.notices, { POST: dismiss(deps) }),
    guard.page(SETTINGS.developer, { GET: developer(deps) }),
    guard.page(SETTINGS.newApplication, getAndPost(newApplication(deps))),
    guard.page(SETTINGS.application(':id'), getAndPost(application(deps))),
    guard.page(SETTINGS.tokens, { POST: revokeToken(deps) }),
    guard.page(SETTINGS.newToken, getAndPost(newToken(deps))),
  ];
}

/** Hides the notices that the user has seen, and shows the page again that they were on. */
function dismiss({ database, now }: SettingsRoutesDeps): PageHandler {
  return async ({ response, form, account, session }) => {
    const ids = form?.get('ids')?.split(' ') ?? [];
    await dismissNotices(database, reachOf({ account, session }), ids, now());
    sendRedirect(response, pageAfterSignIn(form?.get('page') ?? null) ?? PHOTOS.root);
  };
}

function signIn({ signIn: step, formTokens }: SettingsRoutesDeps): OpenPageHandler {
  return async (context, { session, account: before, memberships }) => {
    const { form, query } = context;
    const to = pageAfterSignIn(query.get('to')) ?? PHOTOS.root;
    const csrf = session.signInCsrf();
    const isStale = form !== undefined && !formTokens.matches(form.get('csrf'), csrf);
    // Confirms a sign-in by a company, which is no way to do so.
    const isOwn = query.get(OWN_SIGN_IN.name) === OWN_SIGN_IN.value;
    const isConfirmed = isOwn && session.company !== undefined && before !== undefined;
    const workspace = memberships[0]?.name ?? '';
    const account = await step.take({
      ...{ context, form, isStale, csrf },
      to: isOwn ? undefined : to,
      ...(isConfirmed && { username: before.username }),
      purpose: () =>
        Promise.resolve(isConfirmed ? message('signInOwn', { workspace }) : message(purposeOf(to))),
    });
    if (account === undefined) {
      return;
    }
    await session.signIn(account.id, undefined, account.methods);
    sendRedirect(context.response, to);
  };
}

/** Signs the user out. Without a session the form is not checked. */
function signOut(guard: SessionGuard): OpenPageHandler {
  return async (context, user) => {
    if (user.account !== undefined) {
      if (guard.require(context, user) === undefined) {
        return;
      }
      await user.session.signOut();
    }
    sendRedirect(context.response, SETTINGS.signIn);
  };
}

/** The purpose that the sign-in page shows, by the page after it. */
function purposeOf(
  to: string,
):
  | 'signInToJoin'
  | 'signInToLink'
  | 'signInToChangeSignIn'
  | 'signInForPhotos'
  | 'signInForSettings' {
  if (to === SETTINGS.secondFactors) {
    return 'signInToChangeSignIn';
  }
  if (to === COMPANY_PATHS.link) {
    return 'signInToLink';
  }
  if (to === PEOPLE_PATHS.invitation) {
    return 'signInToJoin';
  }
  return isAboutPhotos(to) ? 'signInForPhotos' : 'signInForSettings';
}
