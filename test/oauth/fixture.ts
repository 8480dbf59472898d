import { createTransport } from '../../src/api/transport.js';
import { Redactor } from '../../src/util/redact.js';
import type { SecretStore } from '../../src/host/storage.js';
import type { SendHttp } from '../../src/host/http.js';
import type { OAuthClient } from '../../src/oauth/client.js';
import { Revocations } from '../../src/oauth/session/revocations.js';
import { Session } from '../../src/oauth/session/session.js';
import { SECRET_KEYS, writeSession } from '../../src/oauth/session/session-codec.js';
import type { TokenSet } from '../../src/oauth/token-endpoint.js';
import { createClient } from '../../src/config.js';
import { FakeClock } from '../support/fake-clock.js';
import { startScriptedServer, type ScriptedServer } from '../support/http-server.js';
import { memorySecrets, MemoryStorage } from '../support/memory-host.js';
import { seededBytes } from '../support/seeded-random.js';
import { NodeXhr } from '../support/node-xhr.js';

/** The OAuth half of the plugin over a real, scripted HTTP server and a fake clock. */
export interface OAuthFixture {
  readonly server: ScriptedServer;
  readonly clock: FakeClock;
  readonly storage: MemoryStorage;
  readonly client: OAuthClient;
  readonly send: SendHttp;
  readonly redactor: Redactor;
  /** A session on the fixture's storage; another one is another plugin instance, or the next run. */
  session(instanceId?: string, secrets?: SecretStore): Session;
  /** Lets time pass until it is settled. */
  run<T>(promise: Promise<T>): Promise<T | undefined>;
  /** A session on tokens that an earlier run has left. */
  loaded(tokens?: Partial<TokenSet>): Promise<Session>;
  /** Puts tokens into storage as an earlier run would have left them. */
  store(tokens: Partial<TokenSet>): TokenSet;
  stored(): string;
}

export async function createOAuthFixture(): Promise<OAuthFixture> {
  const server = await startScriptedServer();
  const clock = new FakeClock();
  const storage = new MemoryStorage();
  const client = createClient(server.origin, 'creative-workspace-plugin', 'uploads:write');
  const send = createTransport({ createXhr: () => new NodeXhr(), clock, origin: client.origin });
  const redactor = new Redactor();
  const bytes = seededBytes(1);
  const fixture: OAuthFixture = {
    server,
    clock,
    storage,
    client,
    send,
    redactor,
    session(instanceId = 'instance-1', secrets = memorySecrets(storage)) {
      const shared = {
        send,
        client,
        secrets,
        clock,
        random: () => 0.5,
        randomBytes: bytes,
        redactor,
      };
      return new Session({ ...shared, revocations: new Revocations(shared), instanceId });
    },
    run: (promise) => clock.runUntil(promise, { stepMs: 100 }),
    async loaded(tokens = {}) {
      fixture.store(tokens);
      const session = fixture.session();
      await session.load();
      return session;
    },
    store(tokens) {
      const whole: TokenSet = {
        accessToken: 'svc_at_first',
        refreshToken: 'refresh-token-1',
        obtainedAt: clock.now(),
        expiresAt: clock.now() + 3_600_000,
        ...tokens,
      };
      storage.secrets.set(SECRET_KEYS.session, writeSession(whole));
      return whole;
    },
    stored: () => storage.secrets.get(SECRET_KEYS.session) ?? '',
  };
  return fixture;
}

/** A token answer (RFC 6749 §5.1). */
export function tokenAnswer(
  number: number,
  more: Readonly<Record<string, unknown>> = {},
): { status: number; body: Readonly<Record<string, unknown>> } {
  return {
    status: 200,
    body: {
      access_token: `svc_at_number-${number}`,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: `refresh-token-${number}`,
      ...more,
    },
  };
}

export const REFRESH = { method: 'POST', path: '/api/oauth/token' } as const;
export const REVOKE = { method: 'POST', path: '/api/oauth/revoke' } as const;

/** The tokens of revocation requests. */
export function revoked({ server }: OAuthFixture): (string | undefined)[] {
  return server.requests
    .filter(({ path }) => path === REVOKE.path)
    .map(({ form }) => form['token']);
}
