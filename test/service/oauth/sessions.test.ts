import { expect, it } from '@jest/globals';
import { authorizePath, makePkce } from '../support/code-flow.js';
import { startTestService } from '../support/running-service.js';

it('sets no session cookie for anonymous clients', async () => {
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
