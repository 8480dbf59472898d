import type { Account } from '../../auth/accounts/accounts.js';
import type { Audit } from '../../auth/accounts/audit.js';
import type { IdentityProviders } from '../../auth/company/identity-providers.js';
import { COMPANY_PATHS } from '../../platform/paths/company-paths.js';
import type { DemoAccount } from '../../auth/accounts/demo.js';
import type { PasswordCheck } from '../../auth/passwords/password-check.js';
import type { BufferedContext } from '../../platform/http/request/request-context.js';
import { sendPage } from '../../platform/http/responses.js';
import { message, type Message } from '../../platform/i18n/message.js';
import type { PasswordHelp } from '../../auth/passwords/password-help.js';
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
  /** The address to which a sign-in with a company account returns. */
  readonly to: string;
  /** See {@link sendPage}. */
  readonly formTarget?: string | undefined;
}

/** The step that all sign-ins share: checks the submitted name and password, or shows the sign-in page. */
export class SignInStep {
  /**
   * @param demo the account that the page shows with its password; undefined for none.
   * @param help what users can do who forgot their password.
   */
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly demo: DemoAccount | undefined,
    private readonly deps: {
      readonly audit: Audit;
      readonly help: PasswordHelp;
      readonly providers: Pick<IdentityProviders, 'exist'>;
    },
  ) {}

  /** @returns the user who has signed in; undefined when the page was shown instead. */
  async take({ context, form, ...about }: SignInRequest): Promise<Account | undefined> {
    const { response } = context;
    const username = form?.get('username') ?? '';
    const password = form?.get('password') ?? '';
    const result =
      form === undefined || about.isStale
        ? undefined
        : await this.passwords.attempt(username, password, context);
    if (result !== undefined && 'account' in result) {
      const { id } = result.account;
      await this.deps.audit(response, 'signed_in', { by: id, details: { method: 'password' } });
      return result.account;
    }
    if (result?.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(result.retryAfterSeconds));
    }
    const page = signInPage({
      csrf: about.csrf,
      purpose: await about.purpose(),
      username,
      problem: about.isStale ? message('signInAgain') : result?.problem,
      demo: this.demo,
      companyLink: await this.companyLink(about.to),
      help: this.deps.help,
    });
    sendPage(context, about.isStale ? 403 : (result?.status ?? 200), page, about.formTarget);
    return undefined;
  }

  /** The way to the sign-in with a company account; undefined when nobody has one, or on the way to link one. */
  private async companyLink(to: string): Promise<string | undefined> {
    return to !== COMPANY_PATHS.link && (await this.deps.providers.exist())
      ? `${COMPANY_PATHS.find}?${new URLSearchParams({ to }).toString()}`
      : undefined;
  }
}
