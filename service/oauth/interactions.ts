import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { Provider } from 'oidc-provider';
import type { Account, Accounts, Workspace } from '../accounts/accounts.js';
import type { DemoAccount } from '../accounts/demo.js';
import type { SignIn } from '../accounts/sign-in.js';
import { formIn } from '../http/form.js';
import { sendPage } from '../http/responses.js';
import { consentPage } from '../pages/consent.js';
import type { Maker } from '../pages/consent.js';
import { otherPersonPage, problemPage, signInEndedPage } from '../pages/outcome.js';
import { signInPage } from '../pages/sign-in.js';
import { clientText, WORKSPACE_ID } from './client-metadata.js';
import type { AllowedConsent } from './decisions.js';
import type { Answer, FinishedInteractions } from './finished-interactions.js';
import type { FormTokens } from './form-tokens.js';
import { formActionSource, redirectHost } from './redirect-uris.js';
import { INTERACTION_PATH } from './routes.js';
import { apiScopes } from './scopes.js';

type Interaction = InstanceType<Provider['Interaction']>;
type Session = InstanceType<Provider['Session']>;

export interface InteractionParts {
  readonly provider: Provider;
  readonly accounts: Accounts;
  readonly finished: FinishedInteractions;
  readonly signIn: SignIn;
  readonly tokens: FormTokens;
  /** Told on the sign-in page when given. */
  readonly demo: DemoAccount | undefined;
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
    try {
      const interaction = await this.parts.provider.interactionDetails(request, response);
      await this.answer(request, response, interaction);
    } catch (error) {
      // At the beginning, or at the end when the same page was answered twice at the same time.
      if (!(error instanceof errors.SessionNotFound)) throw error;
      const { status, page } = (await this.ended(request, response)) ?? {
        status: 400,
        page: problemPage(EXPIRED),
      };
      sendPage(response, status, page);
    }
  }

  /** What to show when the interaction of this address, and of this browser, cannot go on. */
  private async ended(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Answer | undefined> {
    const { provider, finished } = this.parts;
    const { cookies, path } = provider.createContext(request, response);
    const uid = cookies.get(provider.cookieName('interaction'), { signed: true });
    if (uid === undefined || path !== `${INTERACTION_PATH}/${uid}`) return undefined;
    const interaction = await provider.Interaction.find(uid);
    return interaction === undefined
      ? finished.answer(provider, uid)
      : { status: 400, page: signInEndedPage(isOfDevice(interaction)) };
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
  ): Promise<void> {
    const form = request.method === 'POST' ? formIn(request) : undefined;
    if (
      form !== undefined &&
      !this.parts.tokens.matches(form.get('csrf'), this.csrf(interaction))
    ) {
      sendPage(response, 403, problemPage(EXPIRED));
      return;
    }
    const { provider } = this.parts;
    const session = await provider.Session.get(provider.createContext(request, response));
    // The interaction remembers who was signed in when it began.
    if (interaction.session?.uid !== undefined && interaction.session.uid !== session.uid) {
      sendPage(response, 400, signInEndedPage(isOfDevice(interaction)));
    } else if (interaction.prompt.name === 'login') {
      await this.signIn(request, response, interaction, session, form);
    } else {
      await this.consent(request, response, interaction, form);
    }
  }

  private async signIn(
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
    session: Session,
    form: URLSearchParams | undefined,
  ): Promise<void> {
    const { provider, signIn, demo } = this.parts;
    const username = form?.get('username') ?? '';
    const result =
      form && (await signIn.attempt(username, form.get('password') ?? '', { request, response }));
    let problem: string | undefined;
    let status = 200;
    if (result !== undefined && 'account' in result) {
      if (session.accountId === undefined || session.accountId === result.account.id) {
        await provider.interactionFinished(
          request,
          response,
          { login: { accountId: result.account.id } },
          { mergeWithLastSubmission: false },
        );
        return;
      }
      sendPage(response, 409, otherPersonPage());
      return;
    }
    if (result !== undefined) {
      ({ status, problem } = result);
      if (result.retryAfterSeconds !== undefined) {
        response.setHeader('Retry-After', String(result.retryAfterSeconds));
      }
    }
    const { name, workspaceId } = await this.client(interaction);
    const warning = workspaceId === undefined ? '' : ', an app not checked by Creative Workspace';
    sendPage(
      response,
      status,
      signInPage({
        csrf: this.csrf(interaction),
        purpose: `to connect ${name}${warning}`,
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
    const client = await this.client(interaction);
    const workspaces = account === undefined ? [] : await this.workspaces(client, account);
    const [first] = workspaces;
    if (account === undefined || first === undefined) {
      const sentence =
        client.workspaceId !== undefined
          ? 'This app belongs to a workspace that you are not a member of.'
          : 'Your account does not belong to a workspace.';
      sendPage(response, 403, problemPage(sentence));
      return;
    }
    const maker: Maker =
      client.workspaceId === undefined ? 'platform' : { workspaceName: first.name };
    const chosen =
      workspaces.length === 1 ? first : workspaces.find(({ id }) => id === form?.get('workspace'));
    const decision = form?.get('decision') ?? '';
    if (decision === 'deny') {
      await provider.interactionFinished(
        request,
        response,
        { error: 'access_denied', error_description: 'the person denied the request' },
        { mergeWithLastSubmission: false },
      );
    } else if (decision === 'allow' && chosen !== undefined) {
      const consent: AllowedConsent = { workspaceId: chosen.id };
      await provider.interactionFinished(
        request,
        response,
        { consent: { ...consent } },
        { mergeWithLastSubmission: true },
      );
    } else {
      sendPage(
        response,
        200,
        consentPage({
          csrf: this.csrf(interaction),
          clientName: client.name,
          maker,
          redirectHost: maker === 'platform' ? undefined : redirectHost(redirectUriOf(interaction)),
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
  private async workspaces(client: AskingClient, account: Account): Promise<Workspace[]> {
    const all = await this.parts.accounts.workspacesOf(account.id);
    const only = client.workspaceId;
    return only === undefined ? all : all.filter(({ id }) => id === only);
  }

  /** The app that asks. One that was deleted meanwhile is refused when the answer comes back. */
  private async client(interaction: Interaction): Promise<AskingClient> {
    const clientId = String(interaction.params['client_id']);
    const client = await this.parts.provider.Client.find(clientId);
    return {
      name: client?.clientName ?? clientId,
      workspaceId: client && clientText(client, WORKSPACE_ID),
    };
  }

  private csrf(interaction: Interaction): string {
    return this.parts.tokens.make('interaction', interaction.uid);
  }
}

/** What the pages say about an app. */
interface AskingClient {
  readonly name: string;
  /** Of the workspace that registered it; undefined for the platform's own. */
  readonly workspaceId: string | undefined;
}

/** Where the answer to a form of this interaction may lead besides this origin: back to the app. */
function formTarget(interaction: Interaction): string | undefined {
  return formActionSource(redirectUriOf(interaction));
}

/** The address of the app, or an empty text for an app that asked with a code. */
function redirectUriOf(interaction: Interaction): string {
  const redirectUri = interaction.params['redirect_uri'];
  return typeof redirectUri === 'string' ? redirectUri : '';
}

/** Whether the person entered a code; else the app itself opened the browser. */
function isOfDevice(interaction: Interaction): boolean {
  return interaction.deviceCode !== undefined;
}

function scopeOf(interaction: Interaction): string | undefined {
  const scope = interaction.params['scope'];
  return typeof scope === 'string' ? scope : undefined;
}
