import { beforeAll, describe, expect, it } from '@jest/globals';
import de from '../../../../service/locales/de.json' with { type: 'json' };
import en from '../../../../service/locales/en.js';
import es from '../../../../service/locales/es.json' with { type: 'json' };
import fr from '../../../../service/locales/fr.json' with { type: 'json' };
import ja from '../../../../service/locales/ja.json' with { type: 'json' };
import ptBR from '../../../../service/locales/pt-BR.json' with { type: 'json' };
import { TestBrowser } from '../../support/browser-client.js';
import { startDevice } from '../../support/oauth-client.js';
import { useService } from '../../support/use-service.js';

const HOUR = 3600;

describe('the code page in a browser that keeps no cookies', () => {
  let userCode: string;

  const service = useService();
  beforeAll(async () => {
    ({ userCode } = await startDevice(service.baseUrl));
  });

  /** Shows the page at this path and sends its form back without any cookie. */
  async function submit(
    path: string,
    { language = 'en', changes = {} }: { language?: string; changes?: Record<string, string> } = {},
  ): Promise<{ status: number; text: string }> {
    const browser = new TestBrowser(service.baseUrl);
    const { form } = await browser.open(path);
    const answer = await fetch(`${service.baseUrl}/oauth/device`, {
      method: 'POST',
      body: new URLSearchParams({ ...form?.fields, user_code: userCode, ...changes }),
      headers: { 'accept-language': language, accept: 'text/html' },
      redirect: 'manual',
    });
    return { status: answer.status, text: await answer.text() };
  }

  it.each([
    ['de', de],
    ['en', en],
    ['es', es],
    ['fr', fr],
    ['ja', ja],
    ['pt-BR', ptBR],
  ])('explains it in %s at the first attempt', async (language, words) => {
    const { status, text } = await submit('/oauth/device', { language });
    expect(status).toBe(400);
    expect(text).toContain(words.cookiesBlocked);
    expect(text).not.toContain(words.codeFailed);
    expect(text).not.toContain('<script');
  });

  it('explains it after a code from the URL', async () => {
    const { text } = await submit(`/oauth/device?user_code=${userCode}`);
    expect(text).toContain(en.cookiesBlocked);
  });

  it.each([
    ['an hour old', String(Math.floor(Date.now() / 1000) - HOUR)],
    ['from the future', String(Math.floor(Date.now() / 1000) + HOUR)],
    ['without a time', ''],
    ['with nonsense as its time', 'x'],
  ])('explains nothing about cookies for a form %s', async (_what, shownAt) => {
    const { status, text } = await submit('/oauth/device', { changes: { shown_at: shownAt } });
    expect(status).toBe(400);
    expect(text).toContain(en.codeFailed);
    expect(text).not.toContain(en.cookiesBlocked);
  });

  it('continues in a browser that accepts cookies', async () => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    const page = await browser.submit('Continue');
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(en.cookiesBlocked);
  });
});
