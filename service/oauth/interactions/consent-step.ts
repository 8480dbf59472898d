import type { InteractionResults, Provider } from 'oidc-provider';
import {
  codeSignInPolicies,
  decideCodeSignIn,
  apiScopes,
  type Account,
  type Accounts,
  type Workspace,
  type CodeSignInPolicy,
} from '../../identity/index.js';
import { consentPage, type ClientCreator, type ConsentDevice } from '../pages/consent.js';
import type { Page } from '../../kernel/html/layout.js';
import { notAllowedPage, type NotAllowed } from '../pages/not-allowed.js';
import { networkRelation } from '../../kernel/http/request/client-address.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { isByLink } from '../device/code-entry.js';
import { deviceInfoOf } from '../device/device-info.js';
import { wrongNumberRule } from '../device/number-match.js';
import { noWorkspacePage } from '../pages/no-workspace.js';
import type { ContinueForm } from '../../site/error-pages.js';
import { message } from '../../kernel/i18n/message.js';
import { getRequestingClient, redirectUriOf, type RequestingClient } from './requesting-client.js';
import type { AllowedConsent } from './consent-transaction.js';
import { DENIED_BY_POLICY, DENIED_BY_USER, DENIED_WITHOUT_WORKSPACE } from './denials.js';
import { grantedScopes, newScopes, type GrantedScopes } from './granted-scopes.js';
import type { Queryable } from '../../kernel/database/database.js';
import { redirectHost } from '../clients/redirect-uris.js';

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
  readonly device: RequestingDevice | undefined;
  /** The name of the only workspace that the session reaches; undefined for the user's own sign-in. */
  readonly companyName: string | undefined;
}

/** A sign-in with a code: the computer of the app, and what the policies make of it. */
interface RequestingDevice extends ConsentDevice {
  /** Why it is refused in workspaces of the user, by id. */
  readonly refusals: ReadonlyMap<string, NotAllowed>;
}

export interface ConsentStepDeps {
  readonly provider: Provider;
  readonly accounts: Accounts;
  readonly database: Queryable;
  readonly limit: RateLimiter;
  /** The operator's own policy for sign-ins with a code. */
  readonly codeSignIn: CodeSignInPolicy;
  readonly now: () => Date;
}

/** The step in which a user allows or denies an app access to a workspace. */
export class ConsentStep {
  constructor(private readonly deps: ConsentStepDeps) {}

  /**
   * @param form the submitted form, if any.
   * @param browser.continuation the target of the forms on the page.
   * @param browser.address the address of the browser.
   * @param browser.company the only workspace that the session reaches, see `Reach`.
   * @returns undefined when the user is no longer signed in.
   */
  async take(
    interaction: Interaction,
    form: URLSearchParams | undefined,
    {
      continuation,
      address,
      company,
    }: {
      readonly continuation: ContinueForm;
      readonly address: string;
      readonly company: string | undefined;
    },
  ): Promise<ConsentAnswer | undefined> {
    const { accounts, database, provider } = this.deps;
    const accountId = interaction.session?.accountId;
    const account = accountId === undefined ? undefined : await accounts.find(accountId);
    if (account === undefined) {
      return undefined;
    }
    const client = await getRequestingClient(provider, interaction);
    const reached = await this.deps.accounts.workspacesOf({ accountId: account.id, company });
    const all = workspacesFor(client, reached);
    const device = await this.deviceOf(interaction, client, address, all);
    const workspaces = all.filter(({ id }) => device?.refusals.has(id) !== true);
    const [first] = workspaces;
    const decision = form?.get('decision') ?? '';
    if (decision === 'deny') {
      const isRefused = first === undefined && all.length > 0;
      return deny(
        isRefused
          ? DENIED_BY_POLICY
          : first === undefined
            ? DENIED_WITHOUT_WORKSPACE
            : DENIED_BY_USER,
      );
    }
    const companyName = company === undefined ? undefined : reached[0]?.name;
    const question = { interaction, client, account, continuation, device, companyName };
    const [refusal] = device?.refusals.values() ?? [];
    if (first === undefined) {
      return refusal === undefined ? noWorkspace(question) : notAllowed(question, refusal);
    }
    if (device?.isNumberNeeded === true && (await this.hasTooManyWrong(account.id))) {
      return notAllowed(question, 'wrong-numbers');
    }
    // A chosen workspace may be gone or refused since the page was made. Another one must not take its place.
    const named = form?.get('workspace') ?? undefined;
    const chosen =
      workspaces.length === 1 && named === undefined
        ? first
        : workspaces.find(({ id }) => id === named);
    if (decision === 'allow' && chosen !== undefined) {
      return allow(chosen);
    }
    const clientId = String(interaction.params['client_id']);
    const granted = await grantedScopes(database, account.id, clientId);
    const lacksChoice = decision === 'allow';
    return askForConsent(question, [first, ...workspaces.slice(1)], { granted, lacksChoice });
  }

  /** The computer of a sign-in with a code, and what the policies make of it; undefined for another kind of sign-in. */
  private async deviceOf(
    { deviceCode, params }: Interaction,
    client: RequestingClient,
    address: string,
    workspaces: readonly Workspace[],
  ): Promise<RequestingDevice | undefined> {
    const { provider, database, codeSignIn, now } = this.deps;
    const code = deviceCode === undefined ? undefined : await provider.DeviceCode.find(deviceCode);
    if (code === undefined) {
      return undefined;
    }
    const info = deviceInfoOf(code);
    const relation = networkRelation(info.address, address);
    const request = {
      isOfficial: client.workspaceId === undefined,
      showsNumbers: client.showsNumbers,
      isByLink: isByLink(params),
      relation,
    };
    const ids = workspaces.map(({ id }) => id);
    const policies = await codeSignInPolicies(database, ids);
    const refusals = new Map<string, NotAllowed>();
    let isNumberNeeded = false;
    const ofOperator = decideCodeSignIn([codeSignIn], request);
    // No owner can change what the operator refuses, so this reason comes first.
    const isOperators = ofOperator !== 'allow' && ofOperator !== 'number';
    for (const [id, policy] of policies) {
      const decision = isOperators ? ofOperator : decideCodeSignIn([codeSignIn, policy], request);
      if (decision === 'number') {
        isNumberNeeded = true;
      } else if (decision !== 'allow') {
        refusals.set(id, { by: isOperators ? 'operator' : 'workspace', why: decision });
      }
    }
    const startedAt = new Date(code.iat * 1000);
    const ageSeconds = Math.max(0, Math.round((now().getTime() - startedAt.getTime()) / 1000));
    return { info, relation, browserAddress: address, ageSeconds, refusals, isNumberNeeded };
  }

  /** Whether the user has chosen too many wrong numbers today. Counts nothing. */
  private async hasTooManyWrong(accountId: string): Promise<boolean> {
    const { limit } = this.deps;
    const attempt = await limit.consume([wrongNumberRule(accountId)]);
    if ('waitSeconds' in attempt) {
      return true;
    }
    await limit.refund(attempt);
    return false;
  }
}

/** The workspaces that the user can choose. An app that a workspace registered can use only that one. */
function workspacesFor(
  { workspaceId: only }: RequestingClient,
  all: readonly Workspace[],
): readonly Workspace[] {
  return only === undefined ? all : all.filter(({ id }) => id === only);
}

/** The page for a sign-in that the policies refuse. Its button ends the request, so that the app stops waiting. */
function notAllowed(
  { client, account, continuation, companyName }: Question,
  reason: NotAllowed,
): ConsentAnswer {
  const page = notAllowedPage({
    csrf: continuation.csrf,
    address: continuation.action,
    clientName: client.name,
    accountName: account.displayName,
    username: account.username,
    companyName,
    reason,
  });
  return { status: 403, page };
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

function noWorkspace({ client, account, continuation, companyName }: Question): ConsentAnswer {
  const page = noWorkspacePage({
    csrf: continuation.csrf,
    address: continuation.action,
    clientName: client.name,
    isOfWorkspace: client.workspaceId !== undefined,
    accountName: account.displayName,
    username: account.username,
    companyName,
  });
  return { status: 403, page };
}

/** @param about `lacksChoice`: whether the user allowed the app without choosing a workspace. */
function askForConsent(
  { interaction, client, account, continuation, device, companyName }: Question,
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
    device,
    answerAddress: isPlatform ? undefined : redirectHost(redirectUriOf(interaction)),
    accountName: account.displayName,
    username: account.username,
    companyName,
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
