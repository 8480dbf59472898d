import type { Provider } from 'oidc-provider';
import { clientText, NUMBER_MATCHING, WORKSPACE_ID } from '../clients/client-metadata.js';
import { formActionSource } from '../clients/redirect-uris.js';

type Interaction = InstanceType<Provider['Interaction']>;

/** The data of the requesting app for the pages. */
export interface RequestingClient {
  readonly name: string;
  /** Of the workspace that registered it; undefined for the platform's own. */
  readonly workspaceId: string | undefined;
  /** Whether the app lets its user choose a number. */
  readonly showsNumbers: boolean;
}

/** The requesting app. If it has been deleted since, oidc-provider refuses the answer. */
export async function getRequestingClient(
  provider: Provider,
  interaction: Interaction,
): Promise<RequestingClient> {
  const clientId = String(interaction.params['client_id']);
  const client = await provider.Client.find(clientId);
  return {
    name: client?.clientName ?? clientId,
    workspaceId: client && clientText(client, WORKSPACE_ID),
    showsNumbers: client !== undefined && clientText(client, NUMBER_MATCHING) === 'yes',
  };
}

/** The address of the app, or an empty string in the device flow. */
export function redirectUriOf(interaction: Interaction): string {
  const redirectUri = interaction.params['redirect_uri'];
  return typeof redirectUri === 'string' ? redirectUri : '';
}

/** Where the answer to a form of this interaction may lead besides this origin: back to the app. */
export function formTargetOf(interaction: Interaction): string | undefined {
  return formActionSource(redirectUriOf(interaction));
}
