import type { Adapter, AdapterPayload } from 'oidc-provider';
import { workspaceClientMetadata } from '../clients/client-metadata.js';
import type { WorkspaceClients } from '../clients/workspace-clients.js';

/** No client's id is nearly as long. */
const MAX_CLIENT_ID_LENGTH = 256;

/** Where oidc-provider looks for clients that are not in the platform's registry. It only reads. */
export class ClientAdapter implements Adapter {
  constructor(private readonly clients: WorkspaceClients) {}

  async find(clientId: string): Promise<AdapterPayload | undefined> {
    if (clientId.length > MAX_CLIENT_ID_LENGTH) {
      return undefined;
    }
    const client = await this.clients.find(clientId);
    return client && workspaceClientMetadata(client);
  }

  upsert = refuseChange;
  findByUserCode = refuseChange;
  findByUid = refuseChange;
  consume = refuseChange;
  destroy = refuseChange;
  revokeByGrantId = refuseChange;
}

function refuseChange(): Promise<never> {
  return Promise.reject(new Error('clients are registered in Settings'));
}
