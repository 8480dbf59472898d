import type { InteractionResults, Provider } from 'oidc-provider';
import type { Account, Accounts, Workspace } from '../../auth/accounts/accounts.js';
import { consentPage, type ClientCreator } from '../pages/consent.js';
import type { Page } from '../../platform/html/layout.js';
import { noWorkspacePage } from '../pages/no-workspace.js';
import type { ContinueForm } from '../../platform/html/error-pages.js';
import { message } from '../../platform/i18n/message.js';
import { getRequestingClient, redirectUriOf, type RequestingClient } from './requesting-client.js';
import type { AllowedConsent } from './consent-transaction.js';
import { DENIED_BY_USER, DENIED_WITHOUT_WORKSPACE } from './denials.js';
import { grantedScopes, newScopes, type GrantedScopes } from './granted-scopes.js';
import type { Queryable } from '../../platform/database/database.js';
import { redirectHost } from '../clients/redirect-uris.js';
import { apiScopes } from '../../auth/scopes.js';

type Interaction = InstanceType<Provider['Interaction']>;

/** The outcome of the step: a page to show, or the user's decision. */
export type ConsentAnswer =
  | { readonly status: number; readonly page: Page }
  | { readonly result: InteractionResults; readonly isAllowed: boolean };

/** The app, the user and the request. */
interface Question {
  readonly interaction: Interaction;
  readonly client: RequestingClient;
  readonly account: Account;
  readonly continuation: ContinueForm;
}

/** The step in which a user allows or denies an app access to a workspace. */
export class ConsentStep {
  constructor(
    private readonly provider: Provider,
    private readonly accounts: Accounts,
    private readonly database: Queryable,
  ) {}

  /**
   * @param form the submitted form, if any.
   * @param continuation the target of the forms on the page.
   * @returns undefined when the user is no longer signed in.
   */
  async take(
    interaction: Interaction,
    form: URLSearchParams | undefined,
    continuation: ContinueForm,
  ): Promise<ConsentAnswer | undefined> {
    const accountId = interaction.session?.accountId;
    const account = accountId === undefined ? undefined : await this.accounts.find(accountId);
    if (account === undefined) {
      return undefined;
    }
    const client = await getRequestingClient(this.provider, interaction);
    const workspaces = await this.workspacesFor(client, account);
    const [first] = workspaces;
    const decision = form?.get('decision') ?? '';
    if (decision === 'deny') {
      return deny(first === undefined ? DENIED_WITHOUT_WORKSPACE : DENIED_BY_USER);
    }
    const question = { interaction, client, account, continuation };
    if (first === undefined) {
      return noWorkspace(question);
    }
    const chosen =
      workspaces.length === 1 ? first : workspaces.find(({ id }) => id === form?.get('workspace'));
    if (decision === 'allow' && chosen !== undefined) {
      return allow(chosen);
    }
    const clientId = String(interaction.params['client_id']);
    const granted = await grantedScopes(this.database, account.id, clientId);
    const lacksChoice = decision === 'allow';
    return askForConsent(question, [first, ...workspaces.slice(1)], { granted, lacksChoice });
  }

  /** The workspaces that the user can choose. An app that a workspace registered can use only that one. */
  private async workspacesFor(client: RequestingClient, account: Account): Promise<Workspace[]> {
    const all = await this.accounts.workspacesOf(account.id);
    const only = client.workspaceId;
    return only === undefined ? all : all.filter(({ id }) => id === only);
  }
}

function allow({ id }: Workspace): ConsentAnswer {
  const consent: AllowedConsent = { workspaceId: id };
  return { result: { consent: { ...consent } }, isAllowed: true };
}

function deny(description: string): ConsentAnswer {
  return {
    result: { error: 'access_denied', error_description: description },
    isAllowed: false,
  };
}

function noWorkspace({ client, account, continuation }: Question): ConsentAnswer {
  const page = noWorkspacePage({
    csrf: continuation.csrf,
    address: continuation.action,
    clientName: client.name,
    isOfWorkspace: client.workspaceId !== undefined,
    accountName: account.displayName,
    username: account.username,
  });
  return { status: 403, page };
}

/** @param about `lacksChoice`: whether the user allowed the app without choosing a workspace. */
function askForConsent(
  { interaction, client, account, continuation }: Question,
  workspaces: readonly [Workspace, ...Workspace[]],
  about: { readonly granted: GrantedScopes; readonly lacksChoice: boolean },
): ConsentAnswer {
  const scopes = apiScopes(scopeOf(interaction));
  const isPlatform = client.workspaceId === undefined;
  const creator: ClientCreator = isPlatform ? 'platform' : { workspaceName: workspaces[0].name };
  const page = consentPage({
    csrf: continuation.csrf,
    clientName: client.name,
    creator,
    answerAddress: isPlatform ? undefined : redirectHost(redirectUriOf(interaction)),
    accountName: account.displayName,
    username: account.username,
    workspaces,
    scopes,
    newScopes: newScopes(scopes, about.granted, workspaces),
    problem: about.lacksChoice ? message('chooseTheWorkspace') : undefined,
  });
  return { status: 200, page };
}

function scopeOf(interaction: Interaction): string | undefined {
  const scope = interaction.params['scope'];
  return typeof scope === 'string' ? scope : undefined;
}
