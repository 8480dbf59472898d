import { createClient } from '../../../src/config.js';
import { FakeClock } from '../../support/fake-clock.js';
import { LIFETIME_MS, type Peer } from './session-histories.js';
import { TokenService } from '../token-service.js';

export interface ModelPeer extends Peer {
  readonly service: TokenService;
}

/** The token endpoint as a model, over a network that takes 30 ms each way. */
export function modelPeer({ knowsAttempts }: { readonly knowsAttempts: boolean }): ModelPeer {
  const clock = new FakeClock();
  const client = createClient('https://service.example', 'plugin', 'uploads:write');
  const service = new TokenService(clock, LIFETIME_MS, knowsAttempts);
  return {
    service,
    client,
    clock,
    begin: () => ({
      accessToken: 'svc_at_1',
      refreshToken: 'refresh-1',
      obtainedAt: clock.now(),
      expiresAt: clock.now() + LIFETIME_MS,
      ...(knowsAttempts && { refreshAttemptSupported: true }),
    }),
    pass: (ms) => clock.advance(ms),
    use: (accessToken) => Promise.resolve(service.use(accessToken)),
    send: async (request) => {
      await delay(clock, 30);
      const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '');
      if (request.url.endsWith('/revoke')) {
        service.revoke();
        return { status: 200, text: '', header: () => null };
      }
      const response = service.refresh(form);
      await delay(clock, 30);
      return response;
    },
  };
}

function delay(clock: FakeClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.startTimer(ms, resolve);
  });
}
