import { Redactor } from '../../src/util/redact.js';
import { parseHttpUrl } from '../../src/util/url.js';
import type { SecretStore } from '../../src/host/storage.js';
import type { SendHttp } from '../../src/host/http.js';
import type { OAuthClient } from '../../src/oauth/client.js';
import { Revocations } from '../../src/oauth/session/revocations.js';
import { Session } from '../../src/oauth/session/session.js';
import type { FakeClock } from '../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../support/memory-host.js';
import { seededBytes } from '../support/seeded-random.js';

/** A client of the service at `baseUrl`, which must be an origin. */
export function testClient(baseUrl: string): OAuthClient {
  const origin = parseHttpUrl(baseUrl);
  if (!origin) throw new Error(`${baseUrl} is no address`);
  return { baseUrl, origin, clientId: 'creative-workspace-plugin', scope: 'uploads:write' };
}

export interface SignedInOptions {
  readonly send: SendHttp;
  readonly client: OAuthClient;
  readonly clock: FakeClock;
  readonly secrets?: SecretStore;
  readonly accessToken?: string;
  readonly refreshToken?: string | null;
  /** Life of the access token in milliseconds; null (default) if the service did not send it. */
  readonly lifetimeMs?: number | null;
}

/** A real session that has just been signed in. */
export async function signedInSession(options: SignedInOptions): Promise<Session> {
  const { send, client, clock, accessToken = 'svc_at_1', refreshToken = 'rt_1' } = options;
  const secrets = options.secrets ?? memorySecrets(new MemoryStorage());
  const parts = {
    send,
    client,
    secrets,
    clock,
    random: () => 0,
    randomBytes: seededBytes(1),
    redactor: new Redactor(),
  };
  const session = new Session({
    ...parts,
    revocations: new Revocations(parts),
    instanceId: 'instance-1',
  });
  const lifetime = options.lifetimeMs ?? null;
  await session.adopt({
    accessToken,
    refreshToken,
    obtainedAt: clock.now(),
    expiresAt: lifetime === null ? null : clock.now() + lifetime,
  });
  return session;
}
