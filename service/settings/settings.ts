import type { ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Account, Accounts } from '../accounts/accounts.js';
import type { PersonalTokens } from '../accounts/personal-access-tokens.js';
import { formIn } from '../http/form.js';
import type { RouteMatch } from '../http/route-table.js';
import { sendPage, sendRedirect } from '../http/responses.js';
import type { WholeRequest } from '../http/whole-request.js';
import { openBrowserSession, type BrowserSession } from '../oauth/browser-session.js';
import type { FormTokens } from '../oauth/form-tokens.js';
import type { Connections } from '../oauth/grants.js';
import type { OfficialNames } from '../oauth/official-names.js';
import type { WorkspaceClients } from '../oauth/workspace-clients.js';
import { notFoundPage, staleSettingsPage } from '../pages/outcome.js';
import { sentence, type Sentence } from '../pages/sentence.js';
import type { SignInStep } from '../pages/sign-in-step.js';
import { application } from './application.js';
import { connectedApps } from './connected-apps.js';
import { developer, revokeToken } from './developer.js';
import { newApplication } from './new-application.js';
import { newToken } from './new-token.js';
import { SETTINGS } from './paths.js';
import type { VisitHandler } from './visit.js';

export interface SettingsParts {
  readonly provider: Provider;
  readonly accounts: Accounts;
  readonly signIn: SignInStep;
  readonly connections: Connections;
  readonly clients: WorkspaceClients;
  readonly officialNames: OfficialNames;
  readonly personalTokens: PersonalTokens;
  readonly formTokens: FormTokens;
  /** How long a sign-in lasts, in seconds. */
  readonly sessionSeconds: number;
}

/** What a page says after it did something, by the word in its address. */
const DONE: ReadonlyMap<string, Sentence> = new Map([
  ['disconnected', sentence('disconnected')],
  ['saved', sentence('saved')],
  ['deleted', sentence('deleted')],
  ['revoked', sentence('revoked')],
]);

/**
 * Settings: connected apps, OAuth applications (for owners), personal access tokens. Pages without
 * scripts; every POST carries an anti-forgery token and is answered with a redirect, except where a
 * secret is shown once.
 */
export class SettingsPages {
  private readonly parts: SettingsParts;
  /** What people see who are signed in, by the path in the route table. */
  private readonly pages: ReadonlyMap<string, VisitHandler>;

  constructor(parts: SettingsParts) {
    const { provider, connections, clients, officialNames, personalTokens } = parts;
    this.parts = parts;
    this.pages = new Map<string, VisitHandler>([
      [SETTINGS.root, goToApps],
      [SETTINGS.apps, connectedApps(connections, provider)],
      [SETTINGS.developer, developer(clients, personalTokens)],
      [SETTINGS.newApplication, newApplication(clients, officialNames)],
      [SETTINGS.application(':id'), application(clients, officialNames)],
      [SETTINGS.newToken, newToken(personalTokens)],
      [SETTINGS.tokens, revokeToken(personalTokens)],
    ]);
  }

  /** Answers a GET or POST of a path of Settings. */
  async handle(
    request: WholeRequest,
    response: ServerResponse,
    { route, id }: RouteMatch,
  ): Promise<void> {
    const session = await openBrowserSession(this.parts, request, response);
    const form = request.method === 'POST' ? formIn(request) : undefined;
    if (route.path === SETTINGS.signIn) {
      await this.signIn(request, response, session, form);
      return;
    }
    const account = await this.accountOf(session);
    const { path, search, parameters: query } = request.target;
    if (account === undefined && route.path === SETTINGS.signOut) {
      sendRedirect(response, SETTINGS.signIn);
    } else if (account === undefined && form === undefined) {
      const to = new URLSearchParams({ to: path + search });
      sendRedirect(response, `${SETTINGS.signIn}?${to.toString()}`);
    } else if (
      account === undefined ||
      (form !== undefined && !this.parts.formTokens.matches(form.get('csrf'), session.csrf))
    ) {
      sendPage(response, 403, staleSettingsPage());
    } else if (route.path === SETTINGS.signOut) {
      await session.signOut();
      sendRedirect(response, SETTINGS.signIn);
    } else {
      const page = this.pages.get(route.path) ?? notFound;
      await page({
        response,
        id,
        query,
        form,
        account,
        memberships: await this.parts.accounts.workspacesOf(account.id),
        frame: {
          csrf: session.csrf,
          accountName: account.displayName,
          done: DONE.get(query.get('done') ?? ''),
        },
      });
    }
  }

  private async accountOf({ accountId }: BrowserSession): Promise<Account | undefined> {
    return accountId === undefined ? undefined : this.parts.accounts.find(accountId);
  }

  private async signIn(
    request: WholeRequest,
    response: ServerResponse,
    session: BrowserSession,
    form: URLSearchParams | undefined,
  ): Promise<void> {
    const csrf = session.signInCsrf();
    const isStale = form !== undefined && !this.parts.formTokens.matches(form.get('csrf'), csrf);
    const account = await this.parts.signIn.take({
      request,
      response,
      form,
      isStale,
      csrf,
      purpose: () => Promise.resolve(sentence('signInForSettings')),
    });
    if (account === undefined) {
      return;
    }
    await session.signIn(account.id);
    sendRedirect(response, ownPath(request.target.parameters.get('to')));
  }
}

const goToApps: VisitHandler = ({ response }) => {
  sendRedirect(response, SETTINGS.apps);
  return Promise.resolve();
};

const notFound: VisitHandler = ({ response }) => {
  sendPage(response, 404, notFoundPage());
  return Promise.resolve();
};

/** Where to go after the sign-in: a page of Settings and nothing else. */
function ownPath(to: string | null): string {
  return to !== null && /^\/settings(\/[\w/-]*)?(\?[\w=&%-]*)?$/.test(to) ? to : SETTINGS.apps;
}
