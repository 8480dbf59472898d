import type { ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { sendRedirect } from '../../kernel/http/responses.js';
import type { ContinueForm } from '../../site/error-pages.js';
import type { CsrfTokens } from '../../identity/index.js';
import { INTERACTION_PATH } from '../../site/addresses/oauth-paths.js';

type Interaction = InstanceType<Provider['Interaction']>;

/**
 * Restarts the same request, with the same user code or the same parameters, for the user who is signed in now. The
 * response leads to the consent page of that user, or to the sign-in. Earlier answers are discarded, and no decision is
 * made.
 *
 * When the browser returns, the library makes a new interaction with a new id. That costs a row, so call this only
 * after a sign-in has ended or was cancelled.
 */
export async function restart(interaction: Interaction, response: ServerResponse): Promise<void> {
  interaction.session = undefined;
  interaction.result = { startedOver: true };
  await interaction.persist();
  sendRedirect(response, interaction.returnTo);
}

/** How a page leads on to the interaction: its address, and the token of its forms. */
export function continueForm(
  { uid }: Pick<Interaction, 'uid'>,
  formTokens: CsrfTokens,
): ContinueForm {
  return { action: `${INTERACTION_PATH}/${uid}`, csrf: formTokens.make('interaction', uid) };
}

/**
 * Whether {@link restart} was called and the browser has not returned yet. Submissions of the page are ignored then:
 * its user is no longer signed in.
 */
export function isRestarting({ prompt, session }: Interaction): boolean {
  return prompt.name === 'consent' && session === undefined;
}
