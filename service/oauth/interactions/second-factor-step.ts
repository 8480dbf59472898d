import type { Provider } from 'oidc-provider';
import {
  isRecent,
  workspaceNeedsSecondFactor,
  epochSeconds,
  type SecondFactor,
} from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import type { ContinueForm } from '../../site/error-pages.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage } from '../../kernel/http/responses.js';
import { factorMissingPage, secondStepPage } from '../pages/second-step.js';

/** The step after Allow in a workspace that wants a second factor. */
export class SecondFactorStep {
  constructor(
    private readonly deps: { readonly database: Queryable; readonly secondFactor: SecondFactor },
  ) {}

  /**
   * @param about.formTarget see `sendPage`.
   * @returns when the user proved a second factor, in seconds since 1970; 'none' where none is needed; undefined when a
   *   page was shown instead.
   */
  async take(
    context: BufferedContext,
    about: {
      readonly session: InstanceType<Provider['Session']>;
      readonly workspaceId: string;
      readonly form: URLSearchParams | undefined;
      readonly continuation: ContinueForm;
      readonly formTarget: string | undefined;
    },
  ): Promise<number | 'none' | undefined> {
    const { database, secondFactor } = this.deps;
    const { session, workspaceId, form } = about;
    const { csrf, action } = about.continuation;
    const accountId = session.accountId ?? '';
    if (!(await workspaceNeedsSecondFactor(database, workspaceId))) {
      return 'none';
    }
    if (isRecent(session) && session.loginTs !== undefined) {
      return session.loginTs;
    }
    const checked = await secondFactor.check(context, { form, csrf, accountId });
    if (typeof checked === 'string') {
      return epochSeconds();
    }
    const { hasAuthenticator, hasPasskeys } = await secondFactor.of(accountId);
    if (!hasAuthenticator && !hasPasskeys) {
      sendPage(context, 403, factorMissingPage(action), about.formTarget);
      return undefined;
    }
    const page = secondStepPage({
      csrf,
      title: 'confirmItIsYou',
      text: 'confirmItIsYouText',
      fields: { decision: 'allow', workspace: workspaceId },
      hasAuthenticator,
      passkeyOptions: hasPasskeys ? await secondFactor.passkeyOptions(csrf, accountId) : undefined,
      problem: checked?.problem,
    });
    sendPage(context, checked?.status ?? 200, page, about.formTarget);
    return undefined;
  }
}
