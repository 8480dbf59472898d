import { expect, it } from '@jest/globals';
import type { Provider } from 'oidc-provider';
import { FormTokens } from '../../service/oauth/form-tokens.js';
import { keepSessionsOfPeople } from '../../service/oauth/sessions.js';
import { authorizePath, makePkce } from './code-flow.js';
import { startTestService } from './running.js';

it.each(['save', 'persist', 'resetIdentifier'])(
  'the service does not start with a version of oidc-provider whose sessions know no %s',
  (missing) => {
    const methods = ['save', 'persist', 'resetIdentifier'].filter((name) => name !== missing);
    const prototype = Object.fromEntries(methods.map((name) => [name, () => undefined]));
    const provider = { Session: { prototype, get: () => undefined } } as unknown as Provider;

    expect(() => {
      keepSessionsOfPeople(provider, new FormTokens('the key'));
    }).toThrow('no longer keeps sessions as expected');
  },
);

it('whoever is not signed in gets no cookie of a session, nor a signature that would spoil one', async () => {
  const service = await startTestService();
  try {
    for (const path of ['/oauth/device', authorizePath(makePkce())]) {
      const answer = await fetch(service.baseUrl + path, { redirect: 'manual' });
      await answer.arrayBuffer();
      const names = answer.headers.getSetCookie().map((cookie) => cookie.split('=')[0]);
      expect(names.filter((name) => name?.startsWith('cws_session'))).toEqual([]);
      expect(names.length).toBeGreaterThan(0);
    }
  } finally {
    await service.close();
  }
});
