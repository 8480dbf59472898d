import type { Page as ServicePage } from '../../../service/kernel/html/layout.js';
import { chooseNumberPage } from '../../../service/oauth/pages/choose-number.js';
import { consentPage } from '../../../service/oauth/pages/consent.js';
import { notAllowedPage } from '../../../service/oauth/pages/not-allowed.js';
import { factorMissingPage, secondStepPage } from '../../../service/oauth/pages/second-step.js';
import {
  leaveForCompanyPage,
  linkAccountPage,
  newcomerPage,
} from '../../../service/identity/company/company-pages.js';
import { noWorkspacePage } from '../../../service/oauth/pages/no-workspace.js';
import * as outcome from '../../../service/site/error-pages.js';
import { message, waitDuration } from '../../../service/kernel/i18n/message.js';
import { linkExpiredPage } from '../../../service/identity/pages/link-pages.js';
import {
  photoNotFoundPage,
  photoErrorPage,
} from '../../../service/library/photos/pages/not-found-page.js';
import { accountChoicePage } from '../../../service/oauth/pages/account-choice.js';
import {
  shareGonePage,
  shareLockedPage,
} from '../../../service/delivery/shares/public-share-pages.js';

const GO_ON: outcome.ContinueForm = { action: '/oauth/interaction/some-id', csrf: 'some-token' };

/**
 * The pages that need somebody else, a workspace less or a service in trouble, as the service makes them.
 * @param word  every name on them
 */
export function furtherPages(word: string): Readonly<Record<string, () => ServicePage>> {
  const newcomer = {
    csrf: GO_ON.csrf,
    workspaceName: word,
    email: `mia@${word.toLowerCase()}.example`,
  };

  return {
    otherHostPage: () => outcome.otherHostPage('https://localhost:8780'),
    otherUserPage: () => outcome.otherUserPage(GO_ON),
    signInGonePage: () => outcome.signInGonePage(false, GO_ON),
    'signInGonePage, somebody else is there': () => outcome.signInGonePage(true, GO_ON),
    signInEndedPage: () => outcome.signInEndedPage(true),
    noWorkspacePage: () =>
      noWorkspacePage({
        ...GO_ON,
        address: GO_ON.action,
        clientName: word,
        isOfWorkspace: true,
        accountName: word,
        username: word,
        companyName: word,
      }),
    'consentPage, on another network': () =>
      consentPage({
        csrf: GO_ON.csrf,
        clientName: word,
        creator: 'platform',
        answerAddress: undefined,
        device: {
          info: { address: '2001:db8:0:7', name: word, app: word, os: word },
          relation: 'different',
          browserAddress: '2001:db8:abcd:8',
          ageSeconds: 200,
          isNumberNeeded: true,
        },
        accountName: word,
        username: word,
        companyName: word,
        workspaces: [
          { id: 'one', name: word },
          { id: 'two', name: word },
        ],
        scopes: ['uploads:write'],
        newScopes: [],
        problem: undefined,
      }),
    chooseNumberPage: () =>
      chooseNumberPage({
        number: '42',
        appName: word,
        deviceName: word,
        continuation: GO_ON,
      }),
    notAllowedPage: () =>
      notAllowedPage({
        csrf: GO_ON.csrf,
        address: GO_ON.action,
        clientName: word,
        accountName: word,
        username: word,
        companyName: word,
        reason: { by: 'workspace', why: 'other-network' },
      }),
    secondStepPage: () =>
      secondStepPage({
        ...{ csrf: GO_ON.csrf, title: 'enterACode', text: 'enterACodeText', fields: {} },
        ...{ hasAuthenticator: true, passkeyOptions: '{}', problem: undefined },
      }),
    factorMissingPage: () => factorMissingPage(GO_ON.action),
    leaveForCompanyPage: () =>
      leaveForCompanyPage({ host: `login.${word.toLowerCase()}.example`, start: GO_ON.action }),
    newcomerPage: () =>
      newcomerPage({ ...newcomer, mayJoin: false, problem: message('newcomerNotInvited') }),
    'newcomerPage, of an admitted domain': () =>
      newcomerPage({ ...newcomer, mayJoin: true, problem: undefined }),
    linkAccountPage: () =>
      linkAccountPage({
        ...newcomer,
        ...{ accountName: word, username: word, problem: undefined },
      }),
    'deniedPage, without a workspace': () => outcome.deniedPage('workspace'),
    'errorPage, too many attempts': () =>
      outcome.errorPage(message('tooManyRequests', { time: waitDuration(900) })),
    'errorPage, starting': () => outcome.errorPage(message('starting')),
    unavailablePage: () => outcome.unavailablePage(),
    leavingPage: () =>
      outcome.leavingPage({
        clientName: word,
        host: `${word.toLowerCase()}.example:8443`,
        address: `https://${word.toLowerCase()}.example:8443/?error=invalid_scope`,
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
      accountChoicePage({ csrf: 'some-token', accountName: word, username: word }),
    shareGonePage,
    shareLockedPage: () => shareLockedPage('some-token', message('sharePasswordWrong')),
    photoErrorPage: () => photoErrorPage(message('tooManyDownloads')),
    settingsProblemPage: () => outcome.settingsProblemPage(message('onlyOwners')),
    languageNotKeptPage: () => outcome.languageNotKeptPage('/settings'),
  };
}
