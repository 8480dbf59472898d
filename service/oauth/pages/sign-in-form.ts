import {
  nameBrowser,
  recordNewBrowser,
  METHODS,
  type Account,
  type Accounts,
  type Audit,
  type IdentityProviders,
  type DemoAccount,
  type PasswordCheck,
  type PasswordProblem,
  type PasswordHelp,
  type PasswordProofs,
  type FactorProblem,
  type SecondFactor,
  ACCOUNT_EVENTS,
} from '../../identity/index.js';
import { COMPANY_PATHS } from '../../site/addresses/company-paths.js';
import type { Database } from '../../kernel/database/database.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage } from '../../kernel/http/responses.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { secondStepPage } from './second-step.js';
import { signInPage } from './sign-in.js';

/** A request to a page with a sign-in form. */
export interface SignInRequest {
  readonly context: BufferedContext;
  /** The form, if one was sent and is to be read. */
  readonly form: URLSearchParams | undefined;
  /** Whether the form is for another browser or has expired; if so, it is ignored. */
  readonly isStale: boolean;
  /** The anti-forgery token for the form that is shown. */
  readonly csrf: string;
  /** The purpose of the sign-in; called only if the page is shown. */
  readonly purpose: () => Promise<Message>;
  /** The address to which a sign-in with a company account returns; undefined where that is not enough. */
  readonly to: string | undefined;
  /** The name of the user who is to sign in, if it is known. */
  readonly username?: string;
  /** See {@link sendPage}. */
  readonly formTarget?: string | undefined;
}

/** What the second step proved besides the password. */
const METHOD_OF = {
  code: 'password_and_code',
  recovery_code: 'password_and_recovery_code',
  passkey: 'passkey',
} as const;

/** The methods of the session, by what was used. */
const SESSION_METHODS = {
  password: METHODS.password,
  password_and_code: METHODS.passwordAndCode,
  password_and_recovery_code: METHODS.passwordAndCode,
  passkey: METHODS.passkey,
} as const;

/** A user who has just signed in. */
export interface SignedIn extends Account {
  /** How they signed in, see {@link METHODS}. */
  readonly methods: readonly string[];
}

interface SignInStepDeps {
  readonly database: Database;
  readonly now: () => Date;
  readonly audit: Audit;
  readonly help: PasswordHelp;
  readonly providers: Pick<IdentityProviders, 'exist'>;
  readonly accounts: Accounts;
  readonly secondFactor: SecondFactor;
  readonly proofs: PasswordProofs;
}

/**
 * The step that all sign-ins share: checks a passkey, or name and password and then the code of users who have an
 * authenticator app, or shows the page for them.
 */
export class SignInStep {
  /**
   * @param demo the account that the page shows with its password; undefined for none.
   * @param help what users can do who forgot their password.
   */
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly demo: DemoAccount | undefined,
    private readonly deps: SignInStepDeps,
  ) {}

  /** @returns the user who has signed in; undefined when a page was shown instead. */
  async take(asked: SignInRequest): Promise<SignedIn | undefined> {
    const { context, form, csrf } = asked;
    if (form === undefined || asked.isStale) {
      await this.show(asked, undefined);
      return undefined;
    }
    const proof = form.get('proof') ?? '';
    const owner = proof === '' ? undefined : await this.deps.proofs.read(proof, csrf);
    if (owner !== undefined) {
      return this.takeCode(asked, owner, proof);
    }
    const passkey = form.get('passkey') ?? '';
    if (passkey !== '') {
      const checked = await this.deps.secondFactor.checkPasskey(
        context.response,
        passkey,
        csrf,
        context.clientAddress,
      );
      return 'accountId' in checked
        ? this.signedIn(asked, { accountId: checked.accountId, method: 'passkey' })
        : this.show(asked, checked);
    }
    if (proof !== '') {
      return this.show(asked, { status: 401, problem: message('signInAgain') });
    }
    const password = form.get('password') ?? '';
    const result = await this.passwords.attempt(form.get('username') ?? '', password, context);
    if (!('account' in result)) {
      return this.show(asked, result);
    }
    const { id } = result.account;
    return (await this.deps.secondFactor.isNeeded(id))
      ? this.showCode(asked, id, await this.deps.proofs.make(id, csrf), undefined)
      : this.signedIn(asked, {
          ...{ accountId: id, method: 'password' },
          isNewBrowser: !result.isKnownBrowser && result.account.username !== this.demo?.username,
        });
  }

  /** Checks the second step of a user who has entered their password. */
  private async takeCode(
    asked: SignInRequest,
    accountId: string,
    proof: string,
  ): Promise<SignedIn | undefined> {
    const checked = await this.deps.secondFactor.check(asked.context, { ...asked, accountId });
    return typeof checked === 'string'
      ? this.signedIn(asked, { accountId, method: METHOD_OF[checked] })
      : this.showCode(asked, accountId, proof, checked);
  }

  private async signedIn(
    asked: SignInRequest,
    {
      accountId,
      method,
      isNewBrowser = false,
    }: {
      readonly accountId: string;
      readonly method: keyof typeof SESSION_METHODS;
      /** Whether the user has never entered their password in this browser. */
      readonly isNewBrowser?: boolean;
    },
  ): Promise<SignedIn | undefined> {
    const account = await this.deps.accounts.find(accountId);
    if (account === undefined) {
      return this.show(asked, { status: 401, problem: message('signInAgain') });
    }
    const { database, audit, now } = this.deps;
    const { request, response } = asked.context;
    await database.transaction(async (transaction) => {
      if (isNewBrowser) {
        const browser = nameBrowser(request.headers['user-agent'] ?? '');
        await recordNewBrowser(transaction, accountId, browser, now());
      }
      await audit(
        response,
        ACCOUNT_EVENTS.signedIn,
        { by: accountId, details: { method } },
        transaction,
      );
    });
    return { ...account, methods: SESSION_METHODS[method] };
  }

  private async show(asked: SignInRequest, problem: SignInProblem | undefined): Promise<undefined> {
    const { context, form, csrf, isStale } = asked;
    setRetryAfter(context, problem);
    const page = signInPage({
      csrf,
      purpose: await asked.purpose(),
      username: form?.get('username') ?? asked.username ?? '',
      problem: isStale ? message('signInAgain') : problem?.problem,
      demo: this.demo,
      companyLink: await this.companyLink(asked.to),
      help: this.deps.help,
      passkeyOptions: await this.deps.secondFactor.passkeyOptions(csrf),
    });
    sendPage(context, isStale ? 403 : (problem?.status ?? 200), page, asked.formTarget);
  }

  /** The way to the sign-in with a company account; undefined when nobody has one, or on the way to link one. */
  private async companyLink(to: string | undefined): Promise<string | undefined> {
    return to !== undefined && to !== COMPANY_PATHS.link && (await this.deps.providers.exist())
      ? `${COMPANY_PATHS.find}?${new URLSearchParams({ to }).toString()}`
      : undefined;
  }

  private async showCode(
    { context, csrf, formTarget }: SignInRequest,
    accountId: string,
    proof: string,
    problem: SignInProblem | undefined,
  ): Promise<undefined> {
    const { secondFactor } = this.deps;
    setRetryAfter(context, problem);
    const { hasAuthenticator, hasPasskeys } = await secondFactor.of(accountId);
    const page = secondStepPage({
      csrf,
      title: 'enterACode',
      text: 'enterACodeText',
      fields: { proof },
      hasAuthenticator,
      passkeyOptions: hasPasskeys ? await secondFactor.passkeyOptions(csrf, accountId) : undefined,
      problem: problem?.problem,
    });
    sendPage(context, problem?.status ?? 200, page, formTarget);
  }
}

/** Why somebody is not signed in. */
type SignInProblem = FactorProblem | PasswordProblem;

function setRetryAfter({ response }: BufferedContext, problem: SignInProblem | undefined): void {
  if (problem?.retryAfterSeconds !== undefined) {
    response.setHeader('Retry-After', String(problem.retryAfterSeconds));
  }
}
