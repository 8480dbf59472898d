import { RequestQueue } from '../api/request-queue.js';
import { CapabilityProbe } from '../api/tus-capabilities.js';
import { createTransport } from '../api/transport.js';
import type { Host } from '../host/host.js';
import type { OAuthClient } from '../oauth/client.js';
import { Revocations } from '../oauth/session/revocations.js';
import { Session } from '../oauth/session/session.js';
import { randomFraction, randomId } from '../util/random-id.js';
import type { Redactor } from '../util/redact.js';
import { isOnOrigin } from '../util/url.js';
import { CurrentAccount, type CurrentAccountOptions } from './current-account.js';
import { ConnectedOwner } from './owner.js';

export interface ConnectionOptions extends Pick<CurrentAccountOptions, 'onDeviceName'> {
  readonly host: Pick<Host, 'clock' | 'secrets' | 'createXhr' | 'randomBytes'>;
  readonly client: OAuthClient;
  readonly redactor: Redactor;
  /** How many requests run at once. */
  readonly concurrency: number;
}

/** The session with the service, its account, and the queue of all its requests. */
export function openConnection({
  host,
  client,
  redactor,
  concurrency,
  onDeviceName,
}: ConnectionOptions) {
  const { clock, secrets, randomBytes } = host;
  /** Address of the data API. */
  const api = `${client.baseUrl}/api/v1`;
  const random = (): number => randomFraction(randomBytes);
  const send = createTransport({
    createXhr: () => host.createXhr(),
    clock,
    origin: client.origin,
  });
  const oauth = { send, client, secrets, clock, random, redactor };
  const revocations = new Revocations(oauth);
  const session = new Session({
    ...oauth,
    revocations,
    randomBytes,
    instanceId: randomId(randomBytes),
    onRefreshed: () => {
      void account.onRefreshed();
    },
  });
  const requests = new RequestQueue({ send, session, clock, random, concurrency });
  const account: CurrentAccount = new CurrentAccount({
    queue: requests,
    session,
    secrets,
    address: `${api}/me`,
    ...(onDeviceName && { onDeviceName }),
  });
  const owner = new ConnectedOwner(session, account);
  return {
    client,
    api,
    oauth,
    session,
    revocations,
    requests,
    capabilities: new CapabilityProbe({ queue: requests, endpoint: `${api}/uploads` }),
    account,
    owner,
    isConnected: (): boolean => owner.get() !== null,
    /** Whether an address is on the service's own origin. */
    isOwnAddress: (address: string): boolean => isOnOrigin(address, client.origin),
  };
}

export type Connection = ReturnType<typeof openConnection>;
