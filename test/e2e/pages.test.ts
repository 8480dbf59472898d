import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'puppeteer-core';
import { layout } from '../../service/platform/html/layout.js';
import type { Page as ServicePage } from '../../service/platform/html/layout.js';
import { chooseNumberPage } from '../../service/oauth/pages/choose-number.js';
import { consentPage } from '../../service/oauth/pages/consent.js';
import { notAllowedPage } from '../../service/oauth/pages/not-allowed.js';
import { factorMissingPage, secondStepPage } from '../../service/oauth/pages/second-step.js';
import {
  leaveForCompanyPage,
  linkAccountPage,
  newcomerPage,
} from '../../service/features/company/company-pages.js';
import { noWorkspacePage } from '../../service/oauth/pages/no-workspace.js';
import * as outcome from '../../service/platform/html/error-pages.js';
import { message, waitDuration } from '../../service/platform/i18n/message.js';
import { Translator } from '../../service/platform/i18n/translator.js';
import { linkExpiredPage } from '../../service/features/people/link-pages.js';
import {
  photoNotFoundPage,
  photoErrorPage,
} from '../../service/features/photos/pages/not-found-page.js';
import { accountChoicePage } from '../../service/oauth/pages/account-choice.js';
import {
  shareGonePage,
  shareLockedPage,
} from '../../service/features/shares/public-share-pages.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { launchBrowser } from './browser.js';
import { CleanUp } from './clean-up.js';
import { LONG_WORD, serveAxe, Visitor, WALKED } from './browser-user.js';

/** The pages of the outcome to which the walk leads. */
const ON_THE_WAY = [
  'connectedPage',
  'deniedPage',
  'notFoundPage',
  'expiredPage',
  'requestProblemPage',
] as const;

const GO_ON: outcome.ContinueForm = { action: '/oauth/interaction/some-id', csrf: 'some-token' };

const NEWCOMER = {
  csrf: GO_ON.csrf,
  workspaceName: LONG_WORD,
  email: `mia@${LONG_WORD.toLowerCase()}.example`,
};

/** The pages that need somebody else, a workspace less or a service in trouble, as the service makes them. */
const FURTHER: Readonly<Record<string, () => ServicePage>> = {
  otherHostPage: () => outcome.otherHostPage('https://localhost:8780'),
  otherUserPage: () => outcome.otherUserPage(GO_ON),
  signInGonePage: () => outcome.signInGonePage(false, GO_ON),
  'signInGonePage, somebody else is there': () => outcome.signInGonePage(true, GO_ON),
  signInEndedPage: () => outcome.signInEndedPage(true),
  noWorkspacePage: () =>
    noWorkspacePage({
      ...GO_ON,
      address: GO_ON.action,
      clientName: LONG_WORD,
      isOfWorkspace: true,
      accountName: LONG_WORD,
      username: LONG_WORD,
      companyName: LONG_WORD,
    }),
  'consentPage, on another network': () =>
    consentPage({
      csrf: GO_ON.csrf,
      clientName: LONG_WORD,
      creator: 'platform',
      answerAddress: undefined,
      device: {
        info: { address: '2001:db8:0:7', name: LONG_WORD, app: LONG_WORD, os: LONG_WORD },
        relation: 'different',
        browserAddress: '2001:db8:abcd:8',
        ageSeconds: 200,
        isNumberNeeded: true,
      },
      accountName: LONG_WORD,
      username: LONG_WORD,
      companyName: LONG_WORD,
      workspaces: [
        { id: 'one', name: LONG_WORD },
        { id: 'two', name: LONG_WORD },
      ],
      scopes: ['uploads:write'],
      newScopes: [],
      problem: undefined,
    }),
  chooseNumberPage: () =>
    chooseNumberPage({
      number: '42',
      appName: LONG_WORD,
      deviceName: LONG_WORD,
      continuation: GO_ON,
    }),
  notAllowedPage: () =>
    notAllowedPage({
      csrf: GO_ON.csrf,
      address: GO_ON.action,
      clientName: LONG_WORD,
      accountName: LONG_WORD,
      username: LONG_WORD,
      companyName: LONG_WORD,
      reason: { by: 'workspace', why: 'other-network' },
    }),
  secondStepPage: () =>
    secondStepPage({
      ...{ csrf: GO_ON.csrf, title: 'enterACode', text: 'enterACodeText', fields: {} },
      ...{ hasAuthenticator: true, passkeyOptions: '{}', problem: undefined },
    }),
  factorMissingPage: () => factorMissingPage(GO_ON.action),
  leaveForCompanyPage: () =>
    leaveForCompanyPage({ host: `login.${LONG_WORD.toLowerCase()}.example`, start: GO_ON.action }),
  newcomerPage: () =>
    newcomerPage({ ...NEWCOMER, mayJoin: false, problem: message('newcomerNotInvited') }),
  'newcomerPage, of an admitted domain': () =>
    newcomerPage({ ...NEWCOMER, mayJoin: true, problem: undefined }),
  linkAccountPage: () =>
    linkAccountPage({
      ...NEWCOMER,
      ...{ accountName: LONG_WORD, username: LONG_WORD, problem: undefined },
    }),
  'deniedPage, without a workspace': () => outcome.deniedPage('workspace'),
  'errorPage, too many attempts': () =>
    outcome.errorPage(message('tooManyRequests', { time: waitDuration(900) })),
  'errorPage, starting': () => outcome.errorPage(message('starting')),
  unavailablePage: () => outcome.unavailablePage(),
  leavingPage: () =>
    outcome.leavingPage({
      clientName: LONG_WORD,
      host: `${LONG_WORD.toLowerCase()}.example:8443`,
      address: `https://${LONG_WORD.toLowerCase()}.example:8443/?error=invalid_scope`,
      problem: 'requested scope is not allowed',
    }),
  foreignFormPage: () => outcome.foreignFormPage(GO_ON.action),
  alreadySignedInPage: () => outcome.alreadySignedInPage(true),
  alreadyAnsweredPage: () => outcome.alreadyAnsweredPage(false),
  csrfExpiredPage: () => outcome.csrfExpiredPage('settings'),
  'csrfExpiredPage, of photos': () => outcome.csrfExpiredPage('photos'),
  linkExpiredPage: linkExpiredPage,
  photoNotFoundPage,
  accountChoicePage: () =>
    accountChoicePage({ csrf: 'some-token', accountName: LONG_WORD, username: LONG_WORD }),
  shareGonePage,
  shareLockedPage: () => shareLockedPage('some-token', message('sharePasswordWrong')),
  photoErrorPage: () => photoErrorPage(message('tooManyDownloads')),
  settingsProblemPage: () => outcome.settingsProblemPage(message('onlyOwners')),
  languageNotKeptPage: () => outcome.languageNotKeptPage('/settings'),
};

describe('accessibility of the service’s pages', () => {
  const cleanUp = new CleanUp();
  let service: TestService;
  let browser: Browser;
  let axe: string;

  beforeAll(async () => {
    service = await startTestService();
    await addPhotos(service);
    cleanUp.add(() => service.close());
    // Without a separate drawing thread the pages cost a fifth less.
    browser = await launchBrowser({
      args: ['--disable-threaded-compositing', '--force-prefers-reduced-motion'],
    });
    cleanUp.add(() => browser.close());
    axe = await serveAxe(cleanUp);
  });

  afterAll(async () => {
    await cleanUp.run();
  });

  it.each(WALKED)(
    'pages have no fault in %s, wide and narrow, light and dark, by keyboard',
    async (language) => {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.setExtraHTTPHeaders({ 'accept-language': language });
      // Scripts injected by the test are not subject to the page's policy.
      await page.setBypassCSP(true);
      const visitor = new Visitor(page, service, new Translator(language), axe);
      await visitor.walk();
      await context.close();
      expect(visitor.faults).toEqual([]);
      expect(visitor.looked.length).toBeGreaterThan(15);
    },
  );

  it('checks every page of the service', () => {
    const looked = [...ON_THE_WAY, ...Object.keys(FURTHER).map((name) => name.replace(/,.*/, ''))];
    expect(Object.keys(outcome).filter((name) => !looked.includes(name))).toEqual([]);
  });

  it.each(WALKED)('pages outside the main path have no fault in %s', async (language) => {
    const page = await browser.newPage();
    const visitor = new Visitor(page, service, new Translator(language), axe);
    const menu = { address: '/oauth/device', secret: 'x'.repeat(22), cookie: undefined };
    for (const [name, make] of Object.entries(FURTHER)) {
      await page.setContent(layout(make(), { language, menu }, undefined).toString());
      await visitor.look(name);
    }
    await page.close();
    expect(visitor.faults).toEqual([]);
    expect(visitor.looked).toHaveLength(Object.keys(FURTHER).length);
  });
});

/** A list of more than one page, a name that needs room and is there twice, and one photo in the trash. */
async function addPhotos({ database }: TestService): Promise<void> {
  await database.query(
    `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at,
                          sha256, trashed_at, trashed_by)
     SELECT 'photo-' || lpad(n::text, 3, '0'), account_id, workspace_id, 12345678,
            CASE WHEN n IN (57, 59) THEN $1 ELSE 'DSC_' || n || '.jpg' END, '', '{}', now(),
            timestamptz '2026-11-01' + n * interval '1 hour', repeat('0123456789abcdef', 4),
            CASE n WHEN 60 THEN now() END, CASE n WHEN 60 THEN account_id END
       FROM generate_series(1, 60) AS n, workspace_members`,
    [`${LONG_WORD}.jpg`],
  );
}
