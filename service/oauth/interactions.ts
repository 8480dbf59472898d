import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { Provider } from 'oidc-provider';
import type { Account, Accounts, Workspace } from '../accounts/accounts.js';
import type { DemoAccount } from '../accounts/demo.js';
import type { Database } from '../database/database.js';
import { readForm } from '../http/form.js';
import { sendPage } from '../http/responses.js';
import { consentPage } from '../pages/consent.js';
import { problemPage } from '../pages/outcome.js';
import { signInPage } from '../pages/sign-in.js';
import { API_RESOURCE, apiScopes } from './scopes.js';

type Interaction = InstanceType<Provider['Interaction']>;

export interface InteractionParts {
  readonly provider: Provider;
  readonly accounts: Accounts;
  readonly database: Database;
  readonly formKey: string;
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
    if (form !== undefined && !this.isOwnForm(interaction, form.get('csrf') ?? '')) {
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
    const { provider, accounts, demo } = this.parts;
    const username = form?.get('username') ?? '';
    const account = form && (await accounts.signIn(username, form.get('password') ?? ''));
    if (account !== undefined) {
      const result = { login: { accountId: account.id } };
      await provider.interactionFinished(request, response, result, {
        mergeWithLastSubmission: false,
      });
      return;
    }
    sendPage(
      response,
      form === undefined ? 200 : 401,
      signInPage({
        csrf: this.csrf(interaction),
        clientName: await this.clientName(interaction),
        username,
        problem: form && 'The username or the password is not right. Try again.',
        demo,
      }),
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
    const [workspace] = account === undefined ? [] : await accounts.workspacesOf(account.id);
    if (account === undefined || workspace === undefined) {
      sendPage(response, 403, problemPage('Your account does not belong to a workspace.'));
      return;
    }
    switch (form?.get('decision') ?? '') {
      case 'allow': {
        const grantId = await this.grant(interaction, account, workspace);
        await provider.interactionFinished(
          request,
          response,
          { consent: { grantId } },
          { mergeWithLastSubmission: true },
        );
        return;
      }
      case 'deny':
        await provider.interactionFinished(
          request,
          response,
          { error: 'access_denied', error_description: 'the person denied the request' },
          { mergeWithLastSubmission: false },
        );
        return;
      default:
        sendPage(
          response,
          200,
          consentPage({
            csrf: this.csrf(interaction),
            clientName: await this.clientName(interaction),
            accountName: account.displayName,
            username: account.username,
            workspaceName: workspace.name,
            scopes: apiScopes(scopeOf(interaction)),
          }),
        );
    }
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
    return createHmac('sha256', this.parts.formKey).update(interaction.uid).digest('base64url');
  }

  private isOwnForm(interaction: Interaction, token: string): boolean {
    const expected = Buffer.from(this.csrf(interaction));
    const given = Buffer.from(token);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

function clientIdOf(interaction: Interaction): string {
  return String(interaction.params['client_id']);
}

function scopeOf(interaction: Interaction): string | undefined {
  const scope = interaction.params['scope'];
  return typeof scope === 'string' ? scope : undefined;
}
