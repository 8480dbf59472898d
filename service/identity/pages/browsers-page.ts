import { ACCOUNT_EVENTS } from '../accounts/events.js';
import type { Audit } from '../accounts/audit.js';
import { nameBrowser } from '../browsers/browser-name.js';
import {
  browsersOf,
  endBrowser,
  endOtherBrowsers,
  type SignedInBrowser,
} from '../browsers/signed-in-browsers.js';
import type { AuthenticatedRequest, PageHandler } from '../session/authenticated-request.js';
import { reachOf } from '../session/reach.js';
import { renderShell, type PageShell } from '../session/page-shell.js';
import type { Database } from '../../kernel/database/database.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { cards } from '../../kernel/html/components.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import type { Page } from '../../kernel/html/layout.js';
import { displayAddress } from '../../kernel/http/request/client-address.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';

export interface BrowsersPageDeps {
  readonly database: Database;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** Shows the browsers in which the user is signed in. Signs one of them out, or all others. */
export function browsersPage(deps: BrowsersPageDeps): PageHandler {
  return async (context) => {
    const { database, now } = deps;
    const { form, response, shell, sessionId } = context;
    if (form === undefined) {
      const browsers = await browsersOf(database, reachOf(context), now());
      sendPage(context, 200, shownPage(shell, browsers, sessionId));
      return;
    }
    const one = form.get('session_id');
    const done = await (one === null ? endOthers(deps, context) : endOne(deps, context, one));
    sendRedirect(response, `${SETTINGS.browsers}?flash=${done}`);
  };
}

async function endOthers(
  { database, audit }: BrowsersPageDeps,
  context: AuthenticatedRequest,
): Promise<string> {
  const { response, account, sessionId } = context;
  await database.transaction(async (transaction) => {
    const about = { by: account.id, user: account.id };
    if ((await endOtherBrowsers(transaction, reachOf(context), sessionId ?? '')) > 0) {
      await audit(response, ACCOUNT_EVENTS.browserSignedOut, about, transaction);
    }
  });
  return 'othersSignedOut';
}

async function endOne(
  { database, audit }: BrowsersPageDeps,
  context: AuthenticatedRequest,
  one: string,
): Promise<string> {
  const { response, account } = context;
  await database.transaction(async (transaction) => {
    const userAgent = await endBrowser(transaction, reachOf(context), one);
    if (userAgent !== undefined) {
      const { browser, os } = nameBrowser(userAgent);
      const details = {
        ...(browser !== undefined && { name: browser }),
        ...(os !== undefined && { os }),
      };
      const about = { by: account.id, user: account.id, details };
      await audit(response, ACCOUNT_EVENTS.browserSignedOut, about, transaction);
    }
  });
  return 'browserSignedOut';
}

function shownPage(
  shell: PageShell,
  browsers: readonly SignedInBrowser[],
  sessionId: string | undefined,
): Page {
  return renderShell(
    'browsers',
    'account',
    shell,
    (translator) =>
      html`<h1>${translator.t('browsers')}</h1>
        <p class="soft">${translator.t('browsersText')}</p>
        ${cards(
          browsers.map((one) => browserCard(translator, shell, one, one.sessionId === sessionId)),
        )}
        ${
          browsers.length < 2
            ? undefined
            : html`<form method="post" action="${SETTINGS.browsers}">
                ${csrfField(shell)}
                <button type="submit" class="danger">${translator.t('signOutOthers')}</button>
              </form>`
        }`,
  );
}

function browserCard(
  translator: Translator,
  shell: PageShell,
  one: SignedInBrowser,
  isThis: boolean,
): Html {
  const { browser = translator.t('unknownBrowser'), os } = nameBrowser(one.userAgent);
  return html`<li>
    <h2>${os === undefined ? browser : translator.t('browserOn', { browser, os })}</h2>
    ${isThis ? html`<p class="small">${translator.t('thisBrowser')}</p>` : undefined}
    <p class="small soft">
      ${displayAddress(one.network)} ·
      ${translator.html('signedInAt', { time: translator.time(one.createdAt) })} ·
      ${translator.html('lastUsed', { time: translator.time(one.lastUsedAt) })}
    </p>
    ${
      isThis
        ? undefined
        : html`<form method="post" action="${SETTINGS.browsers}">
            ${csrfField(shell)}
            <input type="hidden" name="session_id" value="${one.sessionId}" />
            <button type="submit" class="danger small">${translator.t('signOut')}</button>
          </form>`
    }
  </li>`;
}
