import type { ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { PersonalTokens } from '../accounts/personal-access-tokens.js';
import type { RouteMatch } from '../http/route-table.js';
import { sendPage, sendRedirect } from '../http/responses.js';
import type { WholeRequest } from '../http/whole-request.js';
import type { FormTokens } from '../oauth/form-tokens.js';
import type { Connections } from '../oauth/grants.js';
import type { OfficialNames } from '../oauth/official-names.js';
import type { WorkspaceClients } from '../oauth/workspace-clients.js';
import { notFoundPage } from '../pages/outcome.js';
import { sentence } from '../pages/sentence.js';
import type { SignInStep } from '../pages/sign-in-step.js';
import { PEOPLE } from '../people/paths.js';
import { PHOTOS } from '../photos/paths.js';
import type { VisitHandler } from '../visits/visit.js';
import { isAboutPhotos, type Visitor, type Visits } from '../visits/visits.js';
import { application } from './application.js';
import { connectedApps } from './connected-apps.js';
import { developer, revokeToken } from './developer.js';
import { newApplication } from './new-application.js';
import { newToken } from './new-token.js';
import { SETTINGS } from './paths.js';

export interface SettingsParts {
  readonly visits: Visits;
  readonly provider: Provider;
  readonly signIn: SignInStep;
  readonly connections: Connections;
  readonly clients: WorkspaceClients;
  readonly officialNames: OfficialNames;
  readonly personalTokens: PersonalTokens;
  readonly formTokens: FormTokens;
}

/**
 * Settings: connected apps, OAuth applications (for owners), personal access tokens. The pages have no scripts. Every
 * POST carries an anti-forgery token. A POST that succeeds is answered with a redirect, unless the page shows a new
 * secret. The sign-in and sign-out of all pages for people are here, too.
 */
export class SettingsPages {
  private readonly parts: SettingsParts;
  /** The pages for people who are signed in, by the path in the route table. */
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
  async handle(request: WholeRequest, response: ServerResponse, match: RouteMatch): Promise<void> {
    const { path } = match.route;
    const visitor = await this.parts.visits.meet(request, response);
    if (path === SETTINGS.signIn) {
      await this.signIn(request, response, visitor);
      return;
    }
    if (path === SETTINGS.signOut && visitor.account === undefined) {
      sendRedirect(response, SETTINGS.signIn);
      return;
    }
    const visit = this.parts.visits.admit(visitor, request, response, match);
    if (visit === undefined) {
      return;
    }
    if (path === SETTINGS.signOut) {
      await visitor.session.signOut();
      sendRedirect(response, SETTINGS.signIn);
      return;
    }
    const page = this.pages.get(path) ?? notFound;
    await page(visit);
  }

  private async signIn(
    request: WholeRequest,
    response: ServerResponse,
    { session, form }: Visitor,
  ): Promise<void> {
    const to = ownPath(request.target.parameters.get('to'));
    const csrf = session.signInCsrf();
    const isStale = form !== undefined && !this.parts.formTokens.matches(form.get('csrf'), csrf);
    const account = await this.parts.signIn.take({
      request,
      response,
      form,
      isStale,
      csrf,
      purpose: () => Promise.resolve(sentence(purposeOf(to))),
    });
    if (account === undefined) {
      return;
    }
    await session.signIn(account.id);
    sendRedirect(response, to);
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

/** What the sign-in page says the sign-in is for, by the page that comes after it. */
function purposeOf(to: string): 'signInToJoin' | 'signInForPhotos' | 'signInForSettings' {
  if (to === PEOPLE.invitation) {
    return 'signInToJoin';
  }
  return isAboutPhotos(to) ? 'signInForPhotos' : 'signInForSettings';
}

/** The page to go to after the sign-in. Only pages of this service for people: links must not lead elsewhere. */
function ownPath(to: string | null): string {
  return to !== null &&
    (to === PEOPLE.invitation ||
      /^\/(settings|photos|projects|shares)(\/[\w/-]*)?(\?[\w=&%+.*~-]*)?$/.test(to))
    ? to
    : PHOTOS.root;
}
