import {
  forgottenPassword,
  passkeyForm,
  type DemoAccount,
  type PasswordHelp,
} from '../../identity/index.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import type { Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';

/** The sign-in page. It posts to its own address. */
export function signInPage(about: {
  csrf: string;
  /** The purpose of the sign-in, after the heading. */
  purpose: Message;
  /** The username that was typed before and not accepted; empty for none. */
  username: string;
  problem: Message | undefined;
  demo: DemoAccount | undefined;
  /** The address of the sign-in with a company account; undefined for none. */
  companyLink: string | undefined;
  help: PasswordHelp;
  /** The options for signing in with a passkey, as JSON. */
  passkeyOptions: string;
}): Page {
  const focusPassword = about.username !== '';
  return page(
    'signIn',
    (translator) =>
      html`<h1>${translator.t('signIn')}</h1>
        <p class="soft">${translator.markup(about.purpose)}</p>
        ${errorBox(translator, about.problem)} ${about.demo && demoBox(translator, about.demo)}
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          <label for="username">${translator.t('username')}</label>
          <input
            id="username"
            name="username"
            type="text"
            value="${about.username}"
            autocomplete="username webauthn"
            autocapitalize="none"
            autocorrect="off"
            spellcheck="false"
            required${focusPassword ? undefined : html` autofocus`}
          />
          <label for="password">${translator.t('password')}</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            required${focusPassword ? html` autofocus` : undefined}
          />
          <button type="submit">${translator.t('signIn')}</button>
        </form>
        ${passkeyForm(translator, {
          csrf: about.csrf,
          kind: 'get',
          options: about.passkeyOptions,
          label: 'usePasskey',
          autofill: true,
        })}
        ${
          about.companyLink &&
          html`<p class="other-way">
            <a class="button quiet" href="${about.companyLink}"
              >${translator.t('useCompanyAccount')}</a
            >
          </p>`
        }
        ${forgottenPassword(translator, about.help)}`,
    { client: 'page' },
  );
}

function demoBox(translator: Translator, demo: DemoAccount): Html {
  return html`<div class="box small">
    <p>
      ${translator.html('demoAccount', {
        username: html`<code translate="no">${demo.username}</code>`,
        password: html`<code translate="no">${demo.password}</code>`,
      })}
    </p>
  </div>`;
}
