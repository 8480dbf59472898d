import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LANGUAGES as PANEL_LANGUAGES } from '../../../../src/ui/i18n/language.js';
import { catalogOf } from '../../../ui/i18n/translations.js';
import { TestBrowser } from '../../support/browser-client.js';
import type { Page } from '../../support/browser-client.js';
import { poll, startDevice } from '../../support/oauth-client.js';
import { startTestService } from '../../support/running-service.js';
import type { TestService } from '../../support/running-service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(async () => {
  await service.close();
});

/** A page as it is answered to this `Accept-Language`, and with this cookie. */
async function read(
  address: string,
  { accepts, cookie }: { accepts?: string; cookie?: string } = {},
): Promise<{ headers: Headers; markup: string }> {
  const response = await fetch(service.baseUrl + address, {
    headers: {
      ...(accepts !== undefined && { 'accept-language': accepts }),
      ...(cookie !== undefined && { cookie }),
    },
  });
  return { headers: response.headers, markup: await response.text() };
}

const SECRET = 'x'.repeat(22);

/** Sends the form of the menu as any program can. */
function choose(
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${service.baseUrl}/language`, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams(form),
  });
}

describe('the language of a page', () => {
  it.each([
    ['de', 'de', 'App verbinden'],
    ['de-AT,en;q=0.9', 'de', 'App verbinden'],
    ['es-419', 'es', 'Conectar una aplicación'],
    ['nl, fr;q=0.5, en;q=0.4', 'fr', 'Connecter une application'],
    ['ja', 'ja', 'アプリを接続'],
    ['pt-PT', 'pt-BR', 'Conectar um aplicativo'],
    ['en-GB,de;q=0.9', 'en', 'Connect an app'],
    ['nl', 'en', 'Connect an app'],
    ['\xff, zz-__proto__', 'en', 'Connect an app'],
    ['*', 'en', 'Connect an app'],
  ])('for Accept-Language "%s" is %s', async (accepts, language, words) => {
    const { headers, markup } = await read('/oauth/device', { accepts });

    expect(markup).toContain(`<html lang="${language}">`);
    expect(markup).toContain(words);
    expect(headers.get('content-language')).toBe(language);
    expect(headers.get('vary')).toMatch(/Accept-Language/);
    expect(headers.get('vary')).toMatch(/Cookie/);
  });

  it('applies to error pages too', async () => {
    for (const address of ['/nowhere', '/settings/no/such', '/oauth/device/%2e']) {
      expect((await read(address, { accepts: 'de' })).markup).toContain('<html lang="de">');
    }
  });

  it('is the chosen one, before the browser’s preference', async () => {
    const kept = await read('/oauth/device', {
      accepts: 'fr',
      cookie: `cws_language=ja.${SECRET}`,
    });
    expect(kept.headers.get('content-language')).toBe('ja');
    expect(kept.headers.get('set-cookie')).not.toContain('cws_language');

    for (const value of ['xx', '__proto__', 'ja.short', `xx.${SECRET}`]) {
      const page = await read('/oauth/device', { accepts: 'fr', cookie: `cws_language=${value}` });
      expect(page.headers.get('content-language')).toBe('fr');
    }
  });

  it('is English for API clients', async () => {
    const response = await fetch(`${service.baseUrl}/api/oauth/token`, {
      method: 'POST',
      headers: { 'accept-language': 'de' },
    });
    expect(response.headers.get('content-language')).toBeNull();
    expect(await response.text()).toContain('invalid_request');
  });
});

describe('the language in ui_locales', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['pt-PT', 'pt-BR'],
    ['nl JA en', 'ja'],
  ])('%s: is %s on the page, before the browser’s preference', async (asked, language) => {
    const address = `/oauth/device?ui_locales=${encodeURIComponent(asked)}`;
    const { headers } = await read(address, { accepts: 'fr' });

    expect(headers.get('content-language')).toBe(language);
    expect(headers.getSetCookie()).toContain(
      `cws_language_asked=${language}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax`,
    );
  });

  it.each([
    ['nl', 'that the pages do not speak'],
    ['', 'of no name'],
    ['__proto__', 'of the language itself'],
    [`de${'x'.repeat(200)}`, 'that is too long'],
    ['de;en', 'in another form'],
  ])('%j is ignored: one %s', async (asked) => {
    const address = `/oauth/device?ui_locales=${encodeURIComponent(asked)}`;
    const { headers } = await read(address, { accepts: 'fr' });

    expect(headers.get('content-language')).toBe('fr');
    expect(headers.getSetCookie().join()).not.toContain('cws_language_asked');
  });

  it('is used on pages that apps open only', async () => {
    for (const address of ['/nowhere', '/settings/sign-in', '/oauth/interaction/x'])
      expect(
        (await read(`${address}?ui_locales=de`, { accepts: 'fr' })).headers.get('content-language'),
      ).toBe('fr');
    const { headers } = await read('/oauth/authorize?client_id=nobody&ui_locales=de');
    expect(headers.get('content-language')).toBe('de');
  });

  it.each(['xx', '__proto__', ''])('is not read from the cookie %j', async (value) => {
    const { headers } = await read('/oauth/device', {
      accepts: 'fr',
      cookie: `cws_language_asked=${value}`,
    });
    expect(headers.get('content-language')).toBe('fr');
  });

  it('stays on all pages of the sign-in until the user chooses another', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    browser.reads('en');

    await browser.open(`/oauth/device?user_code=${userCode}&ui_locales=de`);
    expect(browser.page.text).toContain('Zeigt die App diesen Code?');
    await browser.submit('Weiter');
    await browser.submit('Anmelden', {
      username: service.demo.username,
      password: service.demo.password,
    });
    expect(browser.page.text).toContain('Zulassen');
    await browser.submit('Ändern', { language: 'es' });
    expect(browser.page.text).toContain('Permitir');
    await browser.submit('Permitir');
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);

    const again = await startDevice(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${again.userCode}&ui_locales=de`);
    expect(browser.page.markup).toContain('<html lang="es">');
  });
});

describe('panel and page', () => {
  it.each(PANEL_LANGUAGES)('name the button alike in %s', async (language) => {
    const { codeStepAllow } = catalogOf(language);
    const allow = /(?:[„«“「]\s*|Choose )([^“»”」.]+?)\s*[“»”」.]/.exec(codeStepAllow)?.[1] ?? '';
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    browser.reads(language);

    const compare = await browser.open(`/oauth/device?user_code=${userCode}`);
    const signIn = await browser.submit(labelOf(compare));
    await browser.submit(labelOf(signIn), {
      username: service.demo.username,
      password: service.demo.password,
    });
    await browser.submit(allow);

    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
  });
});

describe('the language menu of a page', () => {
  it('changes the language on every page of a sign-in and keeps the code', async () => {
    const { userCode, deviceCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);

    const compare = await browser.open(`/oauth/device?user_code=${userCode}`);
    await expectSame(browser, compare, 'Change', 'de', 'Zeigt die App diesen Code?');
    expect(browser.page.text).toContain(userCode);
    const signIn = await browser.submit('Weiter');
    await expectSame(browser, signIn, 'Ändern', 'ja', 'サインイン');
    // Also on the response to a form: the error is gone, the flow is the same.
    const wrong = await browser.submit('サインイン', { username: 'demo', password: 'wrong' });
    expect(wrong.text).toContain('正しくありません');
    await expectSame(browser, wrong, '変更', 'es', 'Iniciar sesión');
    const consent = await browser.submit('Iniciar sesión', {
      username: service.demo.username,
      password: service.demo.password,
    });
    await expectSame(browser, consent, 'Cambiar', 'fr', 'Autoriser');
    const done = await browser.submit('Autoriser');
    expect(done.text).toContain('La connexion est établie');
    await expectSame(browser, done, 'Changer', 'pt-BR', 'A conexão está pronta');
    expect((await poll(service.baseUrl, deviceCode)).status).toBe(200);
    const settings = await browser.open('/settings/apps?flash=saved');
    await expectSame(browser, settings, 'Alterar', 'de', 'Änderungen gespeichert.');
  });

  it('is missing on pages that show a secret once', async () => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open('/settings');
    await browser.submit('Sign in', { username: 'demo', password: service.demo.password });
    const form = await browser.open('/settings/developer/tokens/new');
    expect(menuOf(form)).toBeDefined();
    const unfinished = await browser.submit('Create token', { name: 'x' });
    expect(unfinished.status).toBe(400);
    expect(menuOf(unfinished)).toBeUndefined();
    const secret = await browser.submit('Create token', { name: 'x', scope: 'uploads:read' });
    expect(secret.text).toContain('svc_pat_');
    expect(menuOf(secret)).toBeUndefined();
  });

  it('stores the choice in an HttpOnly, SameSite cookie', async () => {
    const response = await choose(
      { language: 'de', page: '/settings?x=1', secret: SECRET },
      { cookie: `cws_language=.${SECRET}` },
    );

    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/settings?x=1');
    expect(response.headers.get('set-cookie')).toBe(
      `cws_language=de.${SECRET}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax`,
    );
  });

  // @threat P5
  it.each([
    'https://evil.example/',
    'http://localhost/',
    '//evil.example/',
    '/\\evil.example',
    '\\\\evil.example',
    '/.//evil.example',
    '/\t/evil.example',
    '/settings\r\nSet-Cookie: a=b',
    'javascript:alert(1)',
    '',
  ])('redirects to own paths only: %j', async (page) => {
    const response = await choose(
      { language: 'de', page, secret: SECRET },
      { cookie: `cws_language=.${SECRET}` },
    );
    expect(response.headers.get('location')).toBe('/oauth/device');
    expect(response.headers.getSetCookie()).toHaveLength(1);
  });

  it.each([
    ['without the cookie', {}, SECRET],
    ['with another secret', { cookie: `cws_language=.${SECRET}` }, 'y'.repeat(22)],
    ['without a secret', { cookie: `cws_language=.${SECRET}` }, ''],
    ['with an empty cookie', { cookie: 'cws_language=.' }, ''],
    [
      'from another site',
      { cookie: `cws_language=.${SECRET}`, 'sec-fetch-site': 'cross-site' },
      SECRET,
    ],
  ])('changes nothing %s', async (_how, headers, secret) => {
    const response = await choose({ language: 'de', page: '/settings', secret }, headers);

    expect(response.status).toBe(403);
    expect(response.headers.get('set-cookie') ?? '').not.toContain('cws_language=de');
  });

  it('refuses an unknown language', async () => {
    for (const language of ['xx', 'constructor', '']) {
      const response = await choose(
        { language, page: '/settings', secret: SECRET },
        { cookie: `cws_language=fr.${SECRET}` },
      );
      expect(response.status).toBe(303);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });
});

/** Chooses a language below `page`, and looks whether it is the same page that comes back. */
async function expectSame(
  browser: TestBrowser,
  page: Page,
  button: string,
  language: string,
  words: string,
): Promise<void> {
  const again = await browser.submit(button, { language });
  expect(again.markup).toContain(`<html lang="${language}">`);
  expect(again.text).toContain(words);
  expect(new URL(again.url)).toEqual(new URL(page.url));
  expect(Object.keys(again.form?.fields ?? {})).toEqual(Object.keys(page.form?.fields ?? {}));
}

function labelOf({ form }: Page): string {
  return form?.buttons[0]?.label ?? '';
}

function menuOf({ forms }: Page): object | undefined {
  return forms.find(({ action }) => action === '/language');
}
