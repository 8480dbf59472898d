import { APP_EVENTS } from '../events.js';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import {
  foreignFormPage,
  otherUserPage,
  expiredPage,
  signInGonePage,
  type ContinueForm,
} from '../../site/error-pages.js';
import { accountChoicePage } from '../pages/account-choice.js';
import { ACCOUNT_CHOICE } from '../device/account-choice.js';
import {
  companyOf,
  openBrowserSession,
  type Audit,
  type SecondFactor,
  type CsrfTokens,
} from '../../identity/index.js';
import { message } from '../../kernel/i18n/message.js';
import type { SignInStep } from '../pages/sign-in-form.js';
import { getRequestingClient, formTargetOf } from './requesting-client.js';
import { SecondFactorStep } from './second-factor-step.js';
import { ConsentStep, type ConsentStepDeps } from './consent-step.js';
import type { FinishedInteractions } from './finished-interactions.js';
import { INTERACTION_PATH } from '../../site/addresses/oauth-paths.js';
import { continueForm, restart, isRestarting } from './restart-interaction.js';

type Interaction = InstanceType<Provider['Interaction']>;
type Session = InstanceType<Provider['Session']>;

export interface InteractionDeps extends ConsentStepDeps {
  readonly finished: FinishedInteractions;
  readonly audit: Audit;
  readonly signIn: SignInStep;
  readonly secondFactor: SecondFactor;
  readonly formTokens: CsrfTokens;
}

/**
 * The sign-in and consent pages. oidc-provider redirects the browser here when it needs the user, and continues with
 * the result. Each interaction has an address: GET shows the page, POST submits it. A submission needs the token of
 * this interaction's form and the signed interaction cookie.
 */
export class Interactions {
  private readonly consent: ConsentStep;
  private readonly secondFactor: SecondFactorStep;

  constructor(private readonly deps: InteractionDeps) {
    this.consent = new ConsentStep(deps);
    this.secondFactor = new SecondFactorStep(deps);
  }

  /** Answers a GET or POST of an interaction's path. */
  async handle(context: BufferedContext): Promise<void> {
    const { request, response } = context;
    try {
      const interaction = await this.deps.provider.interactionDetails(request, response);
      await this.answer(context, interaction);
    } catch (error) {
      // Thrown where there is no such interaction, or where another answer to the same page was faster.
      if (!(error instanceof errors.SessionNotFound)) {
        throw error;
      }
      await this.ended(context);
    }
  }

  /** Shows why this page cannot continue, and the next steps for the user. */
  private async ended(context: BufferedContext): Promise<void> {
    const { request, response } = context;
    const { provider, finished } = this.deps;
    const { cookies, path } = provider.createContext(request, response);
    const uid = cookies.get(provider.cookieName('interaction'), { signed: true });
    const isOwn = uid !== undefined && path === `${INTERACTION_PATH}/${uid}`;
    const interaction = isOwn ? await provider.Interaction.find(uid) : undefined;
    if (interaction !== undefined) {
      await this.signInEnded(context, interaction);
      return;
    }
    if (isOwn && this.ownForm(context, { uid })?.get('decision') === 'no-number') {
      await finished.cancelNumber(provider, uid, (about, transaction) =>
        this.deps.audit(response, APP_EVENTS.numberRefused, about, transaction),
      );
    }
    const { status, page } = (isOwn ? await finished.answer(provider, uid) : undefined) ?? {
      status: 400,
      page: expiredPage(),
    };
    sendPage(context, status, page);
  }

  /** Answers where the sign-in for which the page was shown has ended. */
  private async signInEnded(context: BufferedContext, interaction: Interaction): Promise<void> {
    const { request, response } = context;
    const { provider } = this.deps;
    const form = this.ownForm(context, interaction);
    if (form?.get('decision') === 'again') {
      await restart(interaction, response);
      return;
    }
    const { accountId } = await provider.Session.get(provider.createContext(request, response));
    sendPage(context, 400, signInGonePage(accountId !== undefined, this.continuation(interaction)));
  }

  private async answer(context: BufferedContext, interaction: Interaction): Promise<void> {
    const { request, response } = context;
    const form = this.ownForm(context, interaction);
    if (context.form !== undefined && form === undefined) {
      sendPage(context, 403, foreignFormPage(this.continuation(interaction).action));
      return;
    }
    if (isRestarting(interaction)) {
      sendRedirect(response, interaction.returnTo);
      return;
    }
    const { provider } = this.deps;
    const session = await provider.Session.get(provider.createContext(request, response));
    // The interaction remembers who was signed in when it began.
    if (interaction.session?.uid !== undefined && interaction.session.uid !== session.uid) {
      await this.signInEnded(context, interaction);
    } else if (form?.get('decision') === 'switch' && session.accountId !== undefined) {
      await this.useAnotherAccount(context, interaction);
    } else if (interaction.prompt.name === 'login') {
      await this.signIn(context, interaction, session, form);
    } else if (form?.get('decision') === 'continue') {
      sendRedirect(response, this.continuation(interaction).action);
    } else if (form === undefined && choosesAccount(context)) {
      await this.chooseAccount(context, interaction);
    } else {
      await this.askConsent(context, interaction, session, form);
    }
  }

  /** Shows the page on which a signed-in user chooses this account or another one. */
  private async chooseAccount(context: BufferedContext, interaction: Interaction): Promise<void> {
    const account = await this.deps.accounts.find(interaction.session?.accountId ?? '');
    if (account === undefined) {
      await this.signInEnded(context, interaction);
      return;
    }
    const { csrf } = this.continuation(interaction);
    const { displayName, username } = account;
    sendPage(context, 200, accountChoicePage({ csrf, accountName: displayName, username }));
  }

  /** Signs the user out of this browser, and leads to the sign-in for the same request. */
  private async useAnotherAccount(
    context: BufferedContext,
    interaction: Interaction,
  ): Promise<void> {
    const session = await openBrowserSession(this.deps, context.request, context.response);
    await session.signOut();
    await restart(interaction, context.response);
  }

  private async signIn(
    context: BufferedContext,
    interaction: Interaction,
    session: Session,
    form: URLSearchParams | undefined,
  ): Promise<void> {
    const { provider, signIn } = this.deps;
    const { accountId, loginTs = 0, amr } = session;
    const isNew = companyOf(amr) !== undefined && loginTs >= interaction.iat;
    if (form === undefined && accountId !== undefined && isNew) {
      // The user left this page to sign in with the account of their company.
      const login = { accountId, ts: loginTs, ...(amr && { amr }) };
      await provider.interactionFinished(context.request, context.response, { login });
      return;
    }
    const account = await signIn.take({
      context,
      form,
      isStale: false,
      csrf: this.continuation(interaction).csrf,
      to: this.continuation(interaction).action,
      purpose: async () => {
        const { name, workspaceId } = await getRequestingClient(provider, interaction);
        const isPlatform = workspaceId === undefined;
        return message(isPlatform ? 'signInToConnect' : 'signInToConnectUnchecked', { app: name });
      },
      formTarget: formTargetOf(interaction),
    });
    if (account === undefined) {
      return;
    }
    if (session.accountId !== undefined && session.accountId !== account.id) {
      sendPage(context, 409, otherUserPage(this.continuation(interaction)));
      return;
    }
    const result = { login: { accountId: account.id, amr: [...account.methods] } };
    const options = { mergeWithLastSubmission: false };
    await provider.interactionFinished(context.request, context.response, result, options);
  }

  private async askConsent(
    context: BufferedContext,
    interaction: Interaction,
    session: Session,
    form: URLSearchParams | undefined,
  ): Promise<void> {
    const answer = await this.consent.take(interaction, form, {
      continuation: this.continuation(interaction),
      address: context.clientAddress,
      company: companyOf(session.amr),
    });
    if (answer === undefined) {
      await this.signInEnded(context, interaction);
    } else if ('page' in answer) {
      sendPage(context, answer.status, answer.page, formTargetOf(interaction));
    } else {
      const { request, response } = context;
      const result = answer.isAllowed
        ? await this.withSecondFactor(context, interaction, session, form, answer.result)
        : answer.result;
      if (result === undefined) {
        return;
      }
      await this.deps.provider.interactionFinished(request, response, result, {
        // The result of a sign-in just before stays in it after Allow; after Deny it is not needed.
        mergeWithLastSubmission: answer.isAllowed,
      });
    }
  }

  /** Adds to a decision when the user proved a second factor, if one is needed. @returns undefined if a page was shown. */
  private async withSecondFactor(
    context: BufferedContext,
    interaction: Interaction,
    session: Session,
    form: URLSearchParams | undefined,
    result: InteractionResults,
  ): Promise<InteractionResults | undefined> {
    const secondFactorAt = await this.secondFactor.take(context, {
      session,
      form,
      workspaceId: String(result.consent?.['workspaceId']),
      continuation: this.continuation(interaction),
      formTarget: formTargetOf(interaction),
    });
    if (secondFactorAt === undefined || secondFactorAt === 'none') {
      return secondFactorAt === undefined ? undefined : result;
    }
    return { consent: { ...result.consent, secondFactorAt } };
  }

  /** The form that came with the request, if it was made for this interaction. */
  private ownForm(
    { form }: BufferedContext,
    interaction: Pick<Interaction, 'uid'>,
  ): URLSearchParams | undefined {
    const csrf = form?.get('csrf') ?? null;
    return this.deps.formTokens.matches(csrf, this.continuation(interaction).csrf)
      ? form
      : undefined;
  }

  private continuation(interaction: Pick<Interaction, 'uid'>): ContinueForm {
    return continueForm(interaction, this.deps.formTokens);
  }
}

/** Whether the address is for a user who chooses an account first. */
function choosesAccount({ query }: BufferedContext): boolean {
  return query.get(ACCOUNT_CHOICE.name) === ACCOUNT_CHOICE.value;
}
