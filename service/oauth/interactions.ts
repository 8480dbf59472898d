import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { Provider } from 'oidc-provider';
import type { Account, Accounts, Workspace } from '../accounts/accounts.js';
import type { DemoAccount } from '../accounts/demo.js';
import type { SignIn } from '../accounts/sign-in.js';
import type { Database } from '../database/database.js';
import type { ClientAddress } from '../http/client-address.js';
import { readForm } from '../http/form.js';
import { sendPage } from '../http/responses.js';
import { consentPage } from '../pages/consent.js';
import { problemPage } from '../pages/outcome.js';
import { signInPage } from '../pages/sign-in.js';
import { clientText, WORKSPACE_ID } from './client-metadata.js';
import type { FormTokens } from './form-tokens.js';
import { formActionSource } from './redirect-uris.js';
import { API_RESOURCE, apiScopes } from './scopes.js';

type Interaction = InstanceType<Provider['Interaction']>;

export interface InteractionParts {
  readonly provider: Provider;
  readonly accounts: Accounts;
  readonly database: Database;
  readonly signIn: SignIn;
  readonly tokens: FormTokens;
  readonly addressOf: ClientAddress;
  /** Told on the sign-in page when given. */
  readonly demo: DemoAccount | undefined;
  readonly now: () => Date;
}

const EXPIRED = 'This page was open for too long, or belongs to another browser.';

/**
 * The sign-in and consent pages: oidc-provider sends the browser here when it needs the person, and
 * takes it back with the result. One address per interaction; GET shows the page, POST answers it.
 * Every form carries a token that only this service can make for this interaction, and the signed
 * interaction cookie must be there as well.
 */
export class Interactions {
  private readonly parts: InteractionParts;

  constructor(parts: InteractionParts) {
    this.parts = parts;
  }

  /** Answers a GET or POST of an interaction's path. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let interaction: Interaction;
    try {
      interaction = await this.parts.provider.interactionDetails(request, response);
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound)) throw error;
      sendPage(response, 400, problemPage(EXPIRED));
      return;
    }
    const form = request.method === 'POST' ? await readForm(request) : undefined;
    if (
      form !== undefined &&
      !this.parts.tokens.matches(form.get('csrf'), this.csrf(interaction))
    ) {
      sendPage(response, 403, problemPage(EXPIRED));
      return;
    }
    if (interaction.prompt.name === 'login') {
      await this.signIn(request, response, interaction, form);
    } else {
      await this.consent(request, response, interaction, form);
    }
  }

  private async signIn(
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
    form: URLSearchParams | undefined,
  ): Promise<void> {
    const { provider, signIn, addressOf, demo } = this.parts;
    const username = form?.get('username') ?? '';
    const result =
      form && (await signIn.attempt(username, form.get('password') ?? '', addressOf(request)));
    let problem: string | undefined;
    let status = 200;
    if (result !== undefined && 'account' in result) {
      const signedIn = interaction.session?.accountId;
      if (signedIn === undefined || signedIn === result.account.id) {
        await provider.interactionFinished(
          request,
          response,
          { login: { accountId: result.account.id } },
          { mergeWithLastSubmission: false },
        );
        return;
      }
      status = 409;
      problem = 'Somebody else is signed in with this browser. Sign out in Settings first.';
    } else if (result !== undefined) {
      ({ status, problem } = result);
      if (result.retryAfterSeconds !== undefined) {
        response.setHeader('Retry-After', String(result.retryAfterSeconds));
      }
    }
    sendPage(
      response,
      status,
      signInPage({
        csrf: this.csrf(interaction),
        purpose: `to connect ${await this.clientName(interaction)}`,
        username,
        problem,
        demo,
      }),
      formTarget(interaction),
    );
  }

  private async consent(
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
    form: URLSearchParams | undefined,
  ): Promise<void> {
    const { provider, accounts } = this.parts;
    const accountId = interaction.session?.accountId;
    const account = accountId === undefined ? undefined : await accounts.find(accountId);
    const workspaces = account === undefined ? [] : await this.workspaces(interaction, account);
    if (account === undefined || workspaces.length === 0) {
      const own = (await this.workspaceOfClient(interaction)) !== undefined;
      const sentence = own
        ? 'This app belongs to a workspace that you are not a member of.'
        : 'Your account does not belong to a workspace.';
      sendPage(response, 403, problemPage(sentence));
      return;
    }
    const chosen =
      workspaces.length === 1
        ? workspaces[0]
        : workspaces.find(({ id }) => id === form?.get('workspace'));
    const decision = form?.get('decision') ?? '';
    if (decision === 'deny') {
      await provider.interactionFinished(
        request,
        response,
        { error: 'access_denied', error_description: 'the person denied the request' },
        { mergeWithLastSubmission: false },
      );
    } else if (decision === 'allow' && chosen !== undefined) {
      const grantId = await this.grant(interaction, account, chosen);
      await provider.interactionFinished(
        request,
        response,
        { consent: { grantId } },
        { mergeWithLastSubmission: true },
      );
    } else {
      sendPage(
        response,
        200,
        consentPage({
          csrf: this.csrf(interaction),
          clientName: await this.clientName(interaction),
          accountName: account.displayName,
          username: account.username,
          workspaces,
          scopes: apiScopes(scopeOf(interaction)),
          problem: decision === 'allow' ? 'Choose the workspace.' : undefined,
        }),
        formTarget(interaction),
      );
    }
  }

  /** The workspaces that the person can choose: an app of a workspace stays inside of it. */
  private async workspaces(interaction: Interaction, account: Account): Promise<Workspace[]> {
    const all = await this.parts.accounts.workspacesOf(account.id);
    const only = await this.workspaceOfClient(interaction);
    return only === undefined ? all : all.filter(({ id }) => id === only);
  }

  private async workspaceOfClient(interaction: Interaction): Promise<string | undefined> {
    const client = await this.parts.provider.Client.find(clientIdOf(interaction));
    return client && clientText(client, WORKSPACE_ID);
  }

  /** Records what the person allowed: the grant for oidc-provider, the workspace for the data API. */
  private async grant(
    interaction: Interaction,
    account: Account,
    workspace: Workspace,
  ): Promise<string> {
    const { provider, database, now } = this.parts;
    const clientId = clientIdOf(interaction);
    const scope = scopeOf(interaction) ?? '';
    const grant = new provider.Grant({ accountId: account.id, clientId });
    grant.addResourceScope(API_RESOURCE, apiScopes(scope).join(' '));
    // Standard clients may ask for it; it means what every client gets, a refresh token.
    if (scope.split(' ').includes('offline_access')) grant.addOIDCScope('offline_access');
    const grantId = await grant.save();
    await database.query(
      `INSERT INTO consents (grant_id, account_id, workspace_id, client_id, scope, created_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [grantId, account.id, workspace.id, clientId, apiScopes(scope).join(' '), now()],
    );
    return grantId;
  }

  private async clientName(interaction: Interaction): Promise<string> {
    const clientId = clientIdOf(interaction);
    return (await this.parts.provider.Client.find(clientId))?.clientName ?? clientId;
  }

  private csrf(interaction: Interaction): string {
    return this.parts.tokens.make('interaction', interaction.uid);
  }
}

/** Where the answer to a form of this interaction may lead besides this origin: back to the app. */
function formTarget(interaction: Interaction): string | undefined {
  const redirectUri = interaction.params['redirect_uri'];
  return typeof redirectUri === 'string' ? formActionSource(redirectUri) : undefined;
}

function clientIdOf(interaction: Interaction): string {
  return String(interaction.params['client_id']);
}

function scopeOf(interaction: Interaction): string | undefined {
  const scope = interaction.params['scope'];
  return typeof scope === 'string' ? scope : undefined;
}
