import { JSDOM } from 'jsdom';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { layout } from '../../../service/kernel/html/layout.js';
import { recoveryCodesPage } from '../../../service/identity/pages/recovery-codes-page.js';
import { fillIn, type FuzzRequest } from '../attacks/fuzz/fuzz-request.js';
import { routeOf } from '../attacks/fuzz/route-of.js';
import { VALID_REQUESTS } from '../attacks/fuzz/valid-requests.js';
import { appsOf, ownedRecordsOf } from '../attacks/owned-records.js';
import { TestBrowser } from '../support/browser-client.js';
import { furtherPages } from '../support/further-pages.js';
import { startDevice } from '../support/oauth-client.js';
import { SERVICE_ROUTES } from '../support/service-routes.js';
import { useService } from '../support/use-service.js';
import { addUser, addWorkspace } from '../support/users.js';

/** The beginning of all names. A dictionary of a page translation has it. */
const MARK = 'Quiet';

/** Names, and addresses and secrets of any name. The text of a comment is language. */
const VERBATIM = new RegExp(
  `${MARK}(?!-comment)|https?://|\\w@\\w|svc_pat_|(?:company|mail)(?:-\\d+)?\\.example`,
  'i',
);

/** The names, codes and addresses of a page that its translation would change. */
function translated(markup: string, verbatim: RegExp = VERBATIM): string[] {
  const { document, NodeFilter } = new JSDOM(markup).window;
  const found: string[] = [];
  const examine = (element: Element | null, text: string | null): void => {
    const isLeft = element?.closest('[translate=no], style, script') != null;
    if (text !== null && verbatim.test(text) && !isLeft) found.push(text.trim());
  };
  const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    examine(texts.currentNode.parentElement, texts.currentNode.nodeValue);
  }
  for (const picture of document.querySelectorAll('img')) {
    examine(picture, picture.getAttribute('alt'));
  }
  return found;
}

const service = useService({ mail: { smtpUrl: 'smtp://127.0.0.1:1', from: 'a@mail.example' } });

describe('the translation of a page by a browser', () => {
  let words: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, `${MARK} studio`);
    const named = { username: `${MARK.toLowerCase()}-owner`, displayName: `${MARK} owner` };
    const user = await addUser(service, { [workspaceId]: 'owner' }, named);
    const newBrowser = (): TestBrowser => new TestBrowser(service.baseUrl);
    const owner = { user, workspaceId, mark: MARK, newBrowser };
    words = { ...(await ownedRecordsOf(service, owner)), ...(await appsOf(service, owner)) };
  });

  it('leaves names, codes and addresses on all pages as they are', async () => {
    const seen = new Set<string | undefined>();
    const faults: [string, string[]][] = [];
    for (const request of VALID_REQUESTS.filter(({ method }) => method === 'GET')) {
      const { path, query, headers } = JSON.parse(
        fillIn(JSON.stringify(request), words),
      ) as FuzzRequest;
      const response = await fetch(`${service.baseUrl}${path}?${query.join('&')}`, {
        headers: headers.map(([name, value]) => [name, value] as [string, string]),
        redirect: 'manual',
      });
      const isPage = response.headers.get('content-type')?.startsWith('text/html') === true;
      const markup = await response.text();
      // A picture or a film that a photo does not have is refused without a page.
      if (isPage || response.status < 400 || markup === '') seen.add(routeOf(request)?.path);
      // The body of a redirect is not shown.
      if (isPage && !response.headers.has('location')) {
        const found = translated(markup);
        if (found.length > 0) faults.push([request.path, found]);
      }
    }

    expect(faults).toEqual([]);
    const pages = SERVICE_ROUTES.filter(
      ({ kind, methods }) => /^(page|public-link)$/.test(kind) && methods.includes('GET'),
    );
    expect(pages.map(({ path }) => path).filter((path) => !seen.has(path))).toEqual([]);
  });

  it.each(Object.entries(furtherPages(MARK)))('leaves the names of %s', (_name, make) => {
    const locale = { language: 'en', menu: undefined } as const;
    expect(translated(layout(make(), locale, undefined).toString())).toEqual([]);
  });

  it('leaves the code that is compared with the app', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    const compared = await browser.open(`/oauth/device?user_code=${userCode}`);
    expect(compared.text).toContain(userCode);
    expect(translated(compared.markup, new RegExp(userCode))).toEqual([]);
  });

  it('leaves recovery codes', () => {
    const shell = {
      ...{
        menu: [],
        csrf: 'some-token',
        accountName: MARK,
        username: MARK,
        memberships: [],
        notices: [],
      },
      ...{ workspace: undefined, address: '/settings/account', flash: undefined },
    };
    const made = layout(
      recoveryCodesPage(shell, ['7rkm-2xvq', 'h4tb-9wzd']),
      { language: 'en', menu: undefined },
      undefined,
    ).toString();
    expect(made).toContain('h4tb-9wzd');
    expect(translated(made, /7rkm-2xvq|h4tb-9wzd/)).toEqual([]);
  });
});
