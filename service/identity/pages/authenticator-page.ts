import { SECOND_FACTOR_EVENTS } from '../second-factor/events.js';
import { copyField } from '../../kernel/html/components.js';
import { renderSVG } from 'uqr';
import { codeForm } from '../second-factor/code-form.js';
import type { NewAuthenticator } from '../second-factor/authenticator-apps.js';
import { mustSignInAgain } from '../second-factor/recent-sign-in.js';
import { makeRecoveryCodes } from '../second-factor/recovery-codes.js';
import type { PageHandler } from '../session/authenticated-request.js';
import { renderShell, type PageShell } from '../session/page-shell.js';
import { Html, html } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { recoveryCodesPage } from './recovery-codes-page.js';
import { SIGN_IN_AGAIN, type SignInPageDeps } from './sign-in-page.js';

/** Sets up an authenticator app. When its first code is right, the page shows the recovery codes. */
export function authenticatorPage(deps: SignInPageDeps): PageHandler {
  return async (context) => {
    const { response, form, account, session, shell } = context;
    const { authenticators, database, audit } = deps;
    if (mustSignInAgain(session, false)) {
      sendRedirect(response, SIGN_IN_AGAIN);
      return;
    }
    const made =
      account.username === deps.demoUsername ? undefined : await authenticators.begin(account);
    if (made === undefined) {
      sendRedirect(response, SETTINGS.secondFactors);
      return;
    }
    const { id } = account;
    const codes = await database.transaction(async (transaction) => {
      const code = form?.get('code') ?? '';
      if (!(await authenticators.confirm(transaction, id, code))) {
        return undefined;
      }
      await audit(
        response,
        SECOND_FACTOR_EVENTS.authenticatorAdded,
        { by: id, user: id },
        transaction,
      );
      return makeRecoveryCodes(transaction, id);
    });
    if (codes !== undefined) {
      // This browser has just proved the second factor, too.
      await session.signIn(id, undefined, ['pwd', 'otp', 'mfa']);
      sendPage(context, 201, recoveryCodesPage(shell, codes));
      return;
    }
    const problem = form && message('authenticatorCodeWrong');
    sendPage(context, form === undefined ? 200 : 400, setUpPage(shell, made, problem));
  };
}

function setUpPage(
  shell: PageShell,
  { secret, uri }: NewAuthenticator,
  problem: Message | undefined,
): Page {
  return renderShell(
    'authenticatorApp',
    'account',
    shell,
    (translator) =>
      html`<h1>${translator.t('authenticatorApp')}</h1>
        <p>${translator.t('scanCode')}</p>
        ${errorBox(translator, problem)}
        <div class="qr" role="img" aria-label="${translator.t('qrCode')}">
          ${Html.raw(renderSVG(uri, { border: 3 }))}
        </div>
        <p class="soft small">${translator.t('typeTheKey')}</p>
        ${copyField(translator, 'secret', secret)}
        ${codeForm(translator, { csrf: shell.csrf, label: 'turnOn', isFocused: false })}`,
  );
}
