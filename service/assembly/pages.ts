import type { Provider } from 'oidc-provider';
import { DEMO_ACCOUNT } from '../accounts/demo.js';
import { KnownBrowsers } from '../accounts/known-browsers.js';
import { PasswordCheck } from '../accounts/password-check.js';
import type { Handlers } from '../http/front.js';
import { FinishedInteractions } from '../oauth/finished-interactions.js';
import { Connections } from '../oauth/grants.js';
import { Interactions } from '../oauth/interactions.js';
import { OfficialNames } from '../oauth/official-names.js';
import { createProvider, SESSION_SECONDS } from '../oauth/provider.js';
import { countReuse, reportErrorsOf } from '../oauth/provider-events.js';
import { providerFront } from '../oauth/provider-front.js';
import { WorkspaceClients } from '../oauth/workspace-clients.js';
import { chooseLanguage } from '../pages/language-choice.js';
import { SignInStep } from '../pages/sign-in-step.js';
import { PeoplePages } from '../people/people.js';
import { PhotoPages } from '../photos/photos.js';
import { VersionTable } from '../photos/version-table.js';
import { SettingsPages } from '../settings/settings.js';
import { Visits } from '../visits/visits.js';
import type { CommonParts } from './common-parts.js';
import type { Foundation } from './foundation.js';
import { sharing, type SharingHandlers } from './sharing.js';

type PageHandlers = Pick<
  Handlers,
  'oauth' | 'interaction' | 'settings' | 'photos' | 'file' | 'people' | 'language'
> &
  SharingHandlers;

/** Builds the OAuth server, and the pages for people; most of these need its sign-in. */
export function pages(
  foundation: Foundation,
  common: CommonParts,
): { provider: Provider; handlers: PageHandlers } {
  const { options, database, clients, baseUrl } = foundation;
  const { accounts, formTokens, isSecure, now } = common;
  const finished = new FinishedInteractions(database, now);
  const provider = oauthServer(foundation, common, finished);
  const knownBrowsers = new KnownBrowsers(formTokens, isSecure, now);
  const passwords = new PasswordCheck({ ...common, knownBrowsers });
  const demo = options.demoAccount && options.showDemoAccount ? DEMO_ACCOUNT : undefined;
  const signIn = new SignInStep(passwords, demo);
  const signingIn = { provider, accounts, signIn, formTokens, sessionSeconds: SESSION_SECONDS };
  const visits = new Visits({ ...signingIn, database });
  const interactions = new Interactions({ ...signingIn, finished });
  const photoPages = new PhotoPages({
    ...common,
    visits,
    database,
    provider,
    versions: new VersionTable(database),
    workspaceBytes: options.uploads.workspaceBytes,
  });
  const settings = new SettingsPages({
    ...signingIn,
    visits,
    connections: new Connections(database, now),
    clients: new WorkspaceClients(database, now),
    officialNames: new OfficialNames(clients.map((client) => client.client_name)),
    personalTokens: common.personalTokens,
  });
  const people = new PeoplePages({
    ...common,
    visits,
    database,
    passwords,
    baseUrl,
    log: options.log,
    demoUsername: options.demoAccount ? DEMO_ACCOUNT.username : undefined,
  });
  return {
    provider,
    handlers: {
      oauth: providerFront(provider),
      interaction: (request, response) => interactions.handle(request, response),
      settings: (request, response, match) => settings.handle(request, response, match),
      photos: (request, response, match) => photoPages.handle(request, response, match),
      file: (request, response, match) => photoPages.handle(request, response, match),
      people: (request, response, match) => people.handle(request, response, match),
      language: chooseLanguage(isSecure),
      ...sharing(foundation, common, visits),
    },
  };
}

function oauthServer(
  { options, database, secrets, clients, baseUrl, reportError, counts }: Foundation,
  { accounts, formTokens, limit, addressOf, now }: CommonParts,
  finished: FinishedInteractions,
): Provider {
  const provider = createProvider({
    baseUrl,
    database,
    accounts,
    clients,
    secrets,
    formTokens,
    finished,
    limit,
    addressOf,
    lifetimes: options.lifetimes,
    now,
  });
  reportErrorsOf(provider, reportError);
  countReuse(provider, counts);
  return provider;
}
