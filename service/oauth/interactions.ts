import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import type { Provider } from 'oidc-provider';
import type { Account, Accounts, Workspace } from '../accounts/accounts.js';
import type { DemoAccount } from '../accounts/demo.js';
import type { SignIn } from '../accounts/sign-in.js';
import { formIn } from '../http/form.js';
import { sendPage, sendRedirect } from '../http/responses.js';
import { consentPage } from '../pages/consent.js';
import type { Maker } from '../pages/consent.js';
import { noWorkspacePage } from '../pages/no-workspace.js';
import {
  foreignFormPage,
  otherPersonPage,
  pageTooOldPage,
  signInGonePage,
} from '../pages/outcome.js';
import type { GoOn } from '../pages/outcome.js';
import { sentence } from '../pages/sentence.js';
import type { Sentence } from '../pages/sentence.js';
import { signInPage } from '../pages/sign-in.js';
import { clientText, WORKSPACE_ID } from './client-metadata.js';
import { openBrowserSession } from './browser-session.js';
import type { AllowedConsent } from './decisions.js';
import { DENIED_BY_PERSON, DENIED_WITHOUT_WORKSPACE } from './denials.js';
import type { FinishedInteractions } from './finished-interactions.js';
import type { FormTokens } from './form-tokens.js';
import { formActionSource, redirectHost } from './redirect-uris.js';
import { INTERACTION_PATH } from './routes.js';
import { apiScopes } from './scopes.js';
import { goOnFrom, startOver, startsOver } from './start-over.js';

type Interaction = InstanceType<Provider['Interaction']>;
type Session = InstanceType<Provider['Session']>;

export interface InteractionParts {
  readonly provider: Provider;
  readonly accounts: Accounts;
  readonly finished: FinishedInteractions;
  readonly signIn: SignIn;
  readonly tokens: FormTokens;
  /** How long a sign-in lasts, in seconds. */
  readonly sessionSeconds: number;
  /** Told on the sign-in page when given. */
  readonly demo: DemoAccount | undefined;
}

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
      await this.ended(request, response);
    }
  }

  /** Says why the page at this address cannot go on, and what can be done. */
  private async ended(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider, finished } = this.parts;
    const { cookies, path } = provider.createContext(request, response);
    const uid = cookies.get(provider.cookieName('interaction'), { signed: true });
    const isOwn = uid !== undefined && path === `${INTERACTION_PATH}/${uid}`;
    const interaction = isOwn ? await provider.Interaction.find(uid) : undefined;
    if (interaction !== undefined) {
      await this.signInEnded(request, response, interaction);
      return;
    }
    const { status, page } = (isOwn ? await finished.answer(provider, uid) : undefined) ?? {
      status: 400,
      page: pageTooOldPage(),
    };
    sendPage(response, status, page);
  }

  /** Answers where the sign-in is gone for which the page was shown. */
  private async signInEnded(
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
  ): Promise<void> {
    const { provider } = this.parts;
    const form = this.ownForm(request, interaction);
    if (form?.get('decision') === 'again') {
      await startOver(interaction, response);
      return;
    }
    const { accountId } = await provider.Session.get(provider.createContext(request, response));
    sendPage(response, 400, signInGonePage(accountId !== undefined, this.goOn(interaction)));
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
  ): Promise<void> {
    const form = this.ownForm(request, interaction);
    if (request.method === 'POST' && form === undefined) {
      sendPage(response, 403, foreignFormPage(this.goOn(interaction).action));
      return;
    }
    if (startsOver(interaction)) {
      sendRedirect(response, interaction.returnTo);
      return;
    }
    const { provider } = this.parts;
    const session = await provider.Session.get(provider.createContext(request, response));
    // The interaction remembers who was signed in when it began.
    if (interaction.session?.uid !== undefined && interaction.session.uid !== session.uid) {
      await this.signInEnded(request, response, interaction);
    } else if (form?.get('decision') === 'switch' && session.accountId !== undefined) {
      await this.useAnotherAccount(request, response, interaction);
    } else if (interaction.prompt.name === 'login') {
      await this.signIn(request, response, interaction, session, form);
    } else {
      await this.consent(request, response, interaction, form);
    }
  }

  /** Signs the person out of this browser, and leads to the sign-in for the same request. */
  private async useAnotherAccount(
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
  ): Promise<void> {
    const { provider, tokens, sessionSeconds } = this.parts;
    const session = await openBrowserSession(provider, tokens, sessionSeconds, request, response);
    await session.signOut();
    await startOver(interaction, response);
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
    let problem: Sentence | undefined;
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
      sendPage(response, 409, otherPersonPage(this.goOn(interaction)));
      return;
    }
    if (result !== undefined) {
      ({ status, problem } = result);
      if (result.retryAfterSeconds !== undefined) {
        response.setHeader('Retry-After', String(result.retryAfterSeconds));
      }
    }
    const { name, workspaceId } = await this.client(interaction);
    sendPage(
      response,
      status,
      signInPage({
        csrf: this.csrf(interaction),
        purpose: sentence(
          workspaceId === undefined ? 'signInToConnect' : 'signInToConnectUnchecked',
          { app: name },
        ),
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
    if (account === undefined) {
      await this.signInEnded(request, response, interaction);
      return;
    }
    const client = await this.client(interaction);
    const workspaces = await this.workspaces(client, account);
    const decision = form?.get('decision') ?? '';
    const [first] = workspaces;
    if (decision === 'deny') {
      await provider.interactionFinished(
        request,
        response,
        {
          error: 'access_denied',
          error_description: first === undefined ? DENIED_WITHOUT_WORKSPACE : DENIED_BY_PERSON,
        },
        { mergeWithLastSubmission: false },
      );
      return;
    }
    if (first === undefined) {
      const page = noWorkspacePage({
        csrf: this.csrf(interaction),
        address: this.goOn(interaction).action,
        clientName: client.name,
        isOfWorkspace: client.workspaceId !== undefined,
        accountName: account.displayName,
        username: account.username,
      });
      sendPage(response, 403, page, formTarget(interaction));
      return;
    }
    const maker: Maker =
      client.workspaceId === undefined ? 'platform' : { workspaceName: first.name };
    const chosen =
      workspaces.length === 1 ? first : workspaces.find(({ id }) => id === form?.get('workspace'));
    if (decision === 'allow' && chosen !== undefined) {
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
          answerAddress:
            maker === 'platform' ? undefined : redirectHost(redirectUriOf(interaction)),
          accountName: account.displayName,
          username: account.username,
          workspaces,
          scopes: apiScopes(scopeOf(interaction)),
          problem: decision === 'allow' ? sentence('chooseTheWorkspace') : undefined,
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

  /** The form that came with the request, if it was made for this interaction. */
  private ownForm(request: IncomingMessage, interaction: Interaction): URLSearchParams | undefined {
    if (request.method !== 'POST') return undefined;
    const form = formIn(request);
    const isOwn = this.parts.tokens.matches(form.get('csrf'), this.csrf(interaction));
    return isOwn ? form : undefined;
  }

  private goOn(interaction: Interaction): GoOn {
    return goOnFrom(interaction, this.parts.tokens);
  }

  private csrf(interaction: Interaction): string {
    return this.goOn(interaction).csrf;
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

function scopeOf(interaction: Interaction): string | undefined {
  const scope = interaction.params['scope'];
  return typeof scope === 'string' ? scope : undefined;
}
