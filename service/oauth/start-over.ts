import type { ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { sendRedirect } from '../http/responses.js';
import type { GoOn } from '../pages/outcome.js';
import type { FormTokens } from './form-tokens.js';
import { INTERACTION_PATH } from './routes.js';

type Interaction = InstanceType<Provider['Interaction']>;

/**
 * Takes the same request up again from its beginning, with the same user code or the same parameters, for
 * whoever is signed in now: the answer leads the browser to the sign-in, or else to the consent of that
 * person. What the page was shown for, and what was answered on it, is forgotten; nothing is decided by
 * this.
 *
 * The library makes a new interaction, with an id that nobody has seen, as the browser comes back. Each one
 * costs a row, so call this only where somebody gives up a sign-in for it.
 */
export async function startOver(interaction: Interaction, response: ServerResponse): Promise<void> {
  interaction.session = undefined;
  interaction.result = { startedOver: true };
  await interaction.persist();
  sendRedirect(response, interaction.returnTo);
}

/** How a page leads on to the interaction: its address, and the token of its forms. */
export function goOnFrom({ uid }: Interaction, formTokens: FormTokens): GoOn {
  return { action: `${INTERACTION_PATH}/${uid}`, csrf: formTokens.make('interaction', uid) };
}

/**
 * Whether {@link startOver} was called and the browser has not come back yet. No answer of the page counts
 * any more, as the person who was asked is no longer signed in.
 */
export function startsOver({ prompt, session }: Interaction): boolean {
  return prompt.name === 'consent' && session === undefined;
}
