import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Account, Accounts, Membership } from '../accounts/accounts.js';
import type { DemoAccount } from '../accounts/demo.js';
import { personalTokenEntryProblem } from '../accounts/personal-access-tokens.js';
import type { PersonalTokens } from '../accounts/personal-access-tokens.js';
import type { SignIn } from '../accounts/sign-in.js';
import { formIn } from '../http/form.js';
import { sendPage, sendRedirect } from '../http/responses.js';
import { openBrowserSession } from '../oauth/browser-session.js';
import type { BrowserSession } from '../oauth/browser-session.js';
import type { FormTokens } from '../oauth/form-tokens.js';
import type { Connections } from '../oauth/grants.js';
import type { OfficialNames } from '../oauth/official-names.js';
import { apiScopes } from '../oauth/scopes.js';
import { clientEntryProblem } from '../oauth/workspace-clients.js';
import type { ClientEntry, WorkspaceClient, WorkspaceClients } from '../oauth/workspace-clients.js';
import { notFoundPage, settingsProblemPage, staleSettingsPage } from '../pages/outcome.js';
import {
  applicationPage,
  connectedAppsPage,
  developerPage,
  newApplicationPage,
  newTokenPage,
  secretPage,
} from '../pages/settings.js';
import type { SettingsFrame } from '../pages/settings.js';
import { sentence } from '../pages/sentence.js';
import type { Sentence } from '../pages/sentence.js';
import { signInPage } from '../pages/sign-in.js';
import { SETTINGS } from './paths.js';

export interface SettingsParts {
  readonly provider: Provider;
  readonly accounts: Accounts;
  readonly signIn: SignIn;
  readonly connections: Connections;
  readonly clients: WorkspaceClients;
  readonly officialNames: OfficialNames;
  readonly personalTokens: PersonalTokens;
  readonly tokens: FormTokens;
  /** How long a sign-in lasts, in seconds. */
  readonly sessionSeconds: number;
  readonly demo: DemoAccount | undefined;
}

/** A request of a person who is signed in. */
interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The form, when the request is a POST; its anti-forgery token has been checked. */
  readonly form: URLSearchParams | undefined;
  readonly account: Account;
  readonly memberships: readonly Membership[];
  readonly frame: SettingsFrame;
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
export class Settings {
  private readonly parts: SettingsParts;

  constructor(parts: SettingsParts) {
    this.parts = parts;
  }

  /** Answers a GET or POST below `/settings`. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider, tokens, sessionSeconds } = this.parts;
    const url = new URL(request.url ?? '/', 'http://settings');
    const path = url.pathname.replace(/\/$/, '');
    const session = await openBrowserSession(provider, tokens, sessionSeconds, request, response);
    const form = request.method === 'POST' ? formIn(request) : undefined;
    if (path === SETTINGS.signIn) {
      await this.signIn(request, response, session, url, form);
      return;
    }
    const account =
      session.accountId === undefined
        ? undefined
        : await this.parts.accounts.find(session.accountId);
    if (account === undefined && (form === undefined || path === SETTINGS.signOut)) {
      const query = new URLSearchParams({ to: url.pathname + url.search });
      const to = path === SETTINGS.signOut ? '' : `?${query.toString()}`;
      sendRedirect(response, SETTINGS.signIn + to);
      return;
    }
    if (
      account === undefined ||
      (form !== undefined && !tokens.matches(form.get('csrf'), session.csrf))
    ) {
      sendPage(response, 403, staleSettingsPage());
      return;
    }
    if (path === SETTINGS.signOut && form !== undefined) {
      await session.signOut();
      sendRedirect(response, SETTINGS.signIn);
      return;
    }
    await this.visit({
      request,
      response,
      path,
      query: url.searchParams,
      form,
      account,
      memberships: await this.parts.accounts.workspacesOf(account.id),
      frame: {
        csrf: session.csrf,
        accountName: account.displayName,
        done: DONE.get(url.searchParams.get('done') ?? ''),
      },
    });
  }

  private async visit(visit: Visit): Promise<void> {
    const { path } = visit;
    const prefix = `${SETTINGS.applications}/`;
    if (path === SETTINGS.root) sendRedirect(visit.response, SETTINGS.apps);
    else if (path === SETTINGS.apps) await this.connectedApps(visit);
    else if (path === SETTINGS.developer) await this.developer(visit);
    else if (path === SETTINGS.newApplication) await this.newApplication(visit);
    else if (path.startsWith(prefix)) await this.application(visit, path.slice(prefix.length));
    else if (path === SETTINGS.newToken) await this.newToken(visit);
    else if (path === SETTINGS.tokens && visit.form !== undefined) await this.revokeToken(visit);
    else sendPage(visit.response, 404, notFoundPage());
  }

  private async signIn(
    request: IncomingMessage,
    response: ServerResponse,
    session: BrowserSession,
    url: URL,
    form: URLSearchParams | undefined,
  ): Promise<void> {
    const username = form?.get('username') ?? '';
    const csrf = session.signInCsrf();
    const stale = form !== undefined && !this.parts.tokens.matches(form.get('csrf'), csrf);
    const result =
      form &&
      !stale &&
      (await this.parts.signIn.attempt(username, form.get('password') ?? '', {
        request,
        response,
      }));
    if (typeof result === 'object' && 'account' in result) {
      await session.signIn(result.account.id);
      sendRedirect(response, ownPath(url.searchParams.get('to')));
      return;
    }
    const refused = typeof result === 'object' ? result : undefined;
    if (refused?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(refused.retryAfterSeconds));
    }
    sendPage(
      response,
      stale ? 403 : (refused?.status ?? 200),
      signInPage({
        csrf,
        purpose: sentence('signInForSettings'),
        username,
        problem: stale ? sentence('signInAgain') : refused?.problem,
        demo: this.parts.demo,
      }),
    );
  }

  private async connectedApps({ response, form, account, frame }: Visit): Promise<void> {
    if (form !== undefined) {
      await this.parts.connections.end(account.id, form.get('grant_id') ?? '');
      sendRedirect(response, `${SETTINGS.apps}?done=disconnected`);
      return;
    }
    const connections = await this.parts.connections.of(account.id);
    const apps = connections.map(async (connection) => {
      const client = await this.parts.provider.Client.find(connection.clientId);
      return { ...connection, name: client?.clientName ?? connection.clientId };
    });
    sendPage(response, 200, connectedAppsPage(frame, await Promise.all(apps)));
  }

  private async developer({ response, account, memberships, frame }: Visit): Promise<void> {
    const workspaces = memberships.map(async (workspace) => ({
      ...workspace,
      clients: workspace.role === 'owner' ? await this.parts.clients.of(workspace.id) : [],
    }));
    const tokens = await this.parts.personalTokens.of(account.id);
    sendPage(response, 200, developerPage(frame, await Promise.all(workspaces), tokens));
  }

  private async newApplication({
    response,
    query,
    form,
    memberships,
    frame,
  }: Visit): Promise<void> {
    const id = (form ?? query).get('workspace');
    const workspace = memberships.find((one) => one.id === id && one.role === 'owner');
    if (workspace === undefined) {
      sendPage(response, 403, settingsProblemPage(sentence('onlyOwners')));
      return;
    }
    const kind = form?.get('kind');
    const confidential = kind === undefined ? undefined : kind === 'confidential';
    const entry = form === undefined ? EMPTY_ENTRY : readEntry(form);
    if (form !== undefined && confidential !== undefined) {
      const known = kind === 'confidential' || kind === 'public';
      const problem = known
        ? clientEntryProblem(entry, confidential, this.parts.officialNames)
        : sentence('chooseWhere');
      if (problem === undefined) {
        const created = await this.parts.clients.create(workspace.id, confidential, entry);
        const page = secretPage(frame, {
          title: 'applicationCreated',
          what: 'clientSecretOnce',
          ...created,
        });
        sendPage(response, 201, page);
        return;
      }
      const page = { workspace, confidential: known ? confidential : undefined, entry, problem };
      sendPage(response, 400, newApplicationPage(frame, page));
      return;
    }
    const page = { workspace, confidential, entry, problem: undefined };
    sendPage(response, 200, newApplicationPage(frame, page));
  }

  private async application(visit: Visit, clientId: string): Promise<void> {
    const { response, form, memberships, frame } = visit;
    const client = await this.parts.clients.find(clientId);
    const workspace = memberships.find(
      (one) => one.id === client?.workspaceId && one.role === 'owner',
    );
    // Who does not own it does not learn whether it exists.
    if (client === undefined || workspace === undefined) {
      sendPage(response, 404, notFoundPage());
      return;
    }
    const show = (entry: ClientEntry, problem: Sentence | undefined): void => {
      const page = { client, workspaceName: workspace.name, entry, problem };
      sendPage(response, problem === undefined ? 200 : 400, applicationPage(frame, page));
    };
    if (form === undefined) show(entryOf(client), undefined);
    else await this.changeApplication(visit, client, form, show);
  }

  private async changeApplication(
    { response, frame }: Visit,
    client: WorkspaceClient,
    form: URLSearchParams,
    show: (entry: ClientEntry, problem: Sentence) => void,
  ): Promise<void> {
    const { clients } = this.parts;
    const { clientId, confidential } = client;
    const action = form.get('action');
    if (action === 'save') {
      const entry = readEntry(form);
      const problem = clientEntryProblem(entry, confidential, this.parts.officialNames);
      if (problem !== undefined) {
        show(entry, problem);
        return;
      }
      await clients.update(clientId, entry);
      sendRedirect(response, `${SETTINGS.application(clientId)}?done=saved`);
    } else if (form.get('confirm') !== 'yes') {
      show(entryOf(client), sentence('tickTheBox'));
    } else if (action === 'rotate' && confidential) {
      const secret = await clients.rotateSecret(clientId);
      const page = { title: 'newSecret', what: 'newSecretOnce', secret, clientId } as const;
      sendPage(response, 200, secretPage(frame, page));
    } else if (action === 'delete') {
      await clients.remove(clientId);
      sendRedirect(response, `${SETTINGS.developer}?done=deleted`);
    } else {
      show(entryOf(client), sentence('cannotBeDone'));
    }
  }

  private async newToken({ response, form, account, memberships, frame }: Visit): Promise<void> {
    if (form === undefined) {
      const page = {
        workspaces: memberships,
        workspaceId: '',
        name: '',
        scope: '',
        days: 30,
        problem: undefined,
      };
      sendPage(response, 200, newTokenPage(frame, page));
      return;
    }
    const entry = {
      name: (form.get('name') ?? '').trim(),
      workspaceId: form.get('workspace') ?? '',
      scopes: apiScopes(form.getAll('scope').join(' ')),
      days: Number(form.get('days')),
    };
    const problem = memberships.some(({ id }) => id === entry.workspaceId)
      ? personalTokenEntryProblem(entry)
      : sentence('chooseAWorkspace');
    if (problem !== undefined) {
      const page = { ...entry, workspaces: memberships, scope: entry.scopes.join(' '), problem };
      sendPage(response, 400, newTokenPage(frame, page));
      return;
    }
    const secret = await this.parts.personalTokens.create(account.id, entry);
    const page = {
      title: 'tokenCreated',
      what: 'tokenOnce',
      secret,
      clientId: undefined,
    } as const;
    sendPage(response, 201, secretPage(frame, page));
  }

  private async revokeToken({ response, form, account }: Visit): Promise<void> {
    await this.parts.personalTokens.revoke(account.id, form?.get('token_id') ?? '');
    sendRedirect(response, `${SETTINGS.developer}?done=revoked`);
  }
}

const EMPTY_ENTRY: ClientEntry = { name: '', redirectUris: [], scopes: [] };

function entryOf(client: WorkspaceClient): ClientEntry {
  return {
    name: client.name,
    redirectUris: client.redirectUris,
    scopes: apiScopes(client.scope),
  };
}

function readEntry(form: URLSearchParams): ClientEntry {
  return {
    name: (form.get('name') ?? '').trim(),
    redirectUris: (form.get('redirect_uris') ?? '').split(/\s+/).filter((uri) => uri !== ''),
    scopes: apiScopes(form.getAll('scope').join(' ')),
  };
}

/** Where to go after the sign-in: a page of Settings and nothing else. */
function ownPath(to: string | null): string {
  return to !== null && /^\/settings(\/[\w/-]*)?(\?[\w=&%-]*)?$/.test(to) ? to : SETTINGS.apps;
}
