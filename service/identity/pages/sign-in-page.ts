import { SECOND_FACTOR_EVENTS } from '../second-factor/events.js';
import type { Audit } from '../accounts/audit.js';
import { MAX_NAME_LENGTH, validateName } from '../accounts/names.js';
import {
  removeAuthenticatorApp,
  type AuthenticatorApps,
} from '../second-factor/authenticator-apps.js';
import { passkeyForm } from '../second-factor/passkey-form.js';
import { removePasskey, type Passkey, type Passkeys } from '../second-factor/passkeys.js';
import { mustSignInAgain } from '../second-factor/recent-sign-in.js';
import {
  countRecoveryCodes,
  makeRecoveryCodes,
  removeRecoveryCodes,
} from '../second-factor/recovery-codes.js';
import type { AuthenticatedRequest, PageHandler } from '../session/authenticated-request.js';
import { renderShell, type PageShell } from '../session/page-shell.js';
import type { Database } from '../../kernel/database/database.js';
import { settingsProblemPage } from '../../site/error-pages.js';
import { cards } from '../../kernel/html/components.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { recoveryCodesPage } from './recovery-codes-page.js';

export interface SignInPageDeps {
  readonly database: Database;
  readonly passkeys: Passkeys;
  readonly authenticators: AuthenticatorApps;
  readonly audit: Audit;
  /** The demo account. Everybody has its password, so it gets no second factor. */
  readonly demoUsername: string | undefined;
}

/** Where a user who signed in too long ago signs in again, before they change how they sign in. */
export const SIGN_IN_AGAIN = `${SETTINGS.signIn}?${new URLSearchParams({ to: SETTINGS.secondFactors }).toString()}`;

/** Account → Sign-in: the passkeys, the authenticator app and the recovery codes of a user. */
export function signInPage(deps: SignInPageDeps): PageHandler {
  return async (context) => {
    const { response, form, account, session } = context;
    if (account.username === deps.demoUsername) {
      sendPage(context, 403, settingsProblemPage(message('demoFactors')));
      return;
    }
    const hasAuthenticator = await deps.authenticators.isOn(account.id);
    if (mustSignInAgain(session, hasAuthenticator)) {
      sendRedirect(response, SIGN_IN_AGAIN);
      return;
    }
    if (form?.get('action') === 'codes' && hasAuthenticator) {
      sendPage(context, 201, recoveryCodesPage(context.shell, await newCodes(deps, context)));
      return;
    }
    const done = form && (await change(deps, context, form));
    if (typeof done === 'string') {
      sendRedirect(response, `${SETTINGS.secondFactors}?flash=${done}`);
      return;
    }
    const { passkeys, database } = deps;
    const page = shownPage(context.shell, {
      passkeys: await passkeys.of(account.id),
      passkeyOptions: await passkeys.creationOptions(account, session.csrf),
      codesLeft: hasAuthenticator ? await countRecoveryCodes(database, account.id) : undefined,
      problem: done,
    });
    sendPage(context, done === undefined ? 200 : 400, page);
  };
}

function newCodes(
  { database, audit }: SignInPageDeps,
  { account: { id }, response }: AuthenticatedRequest,
): Promise<string[]> {
  return database.transaction(async (transaction) => {
    const codes = await makeRecoveryCodes(transaction, id);
    await audit(
      response,
      SECOND_FACTOR_EVENTS.recoveryCodesMade,
      { by: id, user: id },
      transaction,
    );
    return codes;
  });
}

/** @returns the value of `done` in the address of the next page; the reason if nothing was changed. */
async function change(
  { database, passkeys, audit }: SignInPageDeps,
  { account: { id }, session: { csrf }, response }: AuthenticatedRequest,
  form: URLSearchParams,
): Promise<string | Message> {
  const about = { by: id, user: id };
  const sent = form.get('passkey') ?? '';
  if (sent !== '') {
    const name = form.get('name')?.trim() ?? '';
    const problem = validateName(name, MAX_NAME_LENGTH);
    if (problem !== undefined) {
      return message('nameThePasskey', { problem });
    }
    const isAdded = await passkeys.add(id, { sent, csrf, name }, (transaction) =>
      audit(
        response,
        SECOND_FACTOR_EVENTS.passkeyAdded,
        { ...about, details: { name } },
        transaction,
      ),
    );
    return isAdded ? 'passkeyAdded' : message('passkeyFailed');
  }
  if (form.get('action') === 'remove-authenticator') {
    await database.transaction(async (transaction) => {
      if (await removeAuthenticatorApp(transaction, id)) {
        await removeRecoveryCodes(transaction, id);
        await audit(response, SECOND_FACTOR_EVENTS.authenticatorRemoved, about, transaction);
      }
    });
    return 'authenticatorRemoved';
  }
  await database.transaction(async (transaction) => {
    const name = await removePasskey(transaction, id, form.get('passkey_id') ?? '');
    if (name !== undefined) {
      await audit(
        response,
        SECOND_FACTOR_EVENTS.passkeyRemoved,
        { ...about, details: { name } },
        transaction,
      );
    }
  });
  return 'passkeyRemoved';
}

function shownPage(
  shell: PageShell,
  about: {
    readonly passkeys: readonly Passkey[];
    readonly passkeyOptions: string;
    /** Undefined for users without an authenticator app. */
    readonly codesLeft: number | undefined;
    readonly problem: Message | undefined;
  },
): Page {
  return renderShell(
    'signInSettings',
    'account',
    shell,
    (translator) =>
      html`<h1>${translator.t('signInSettings')}</h1>
        <p class="soft">${translator.t('signInSettingsText')}</p>
        ${errorBox(translator, about.problem)}
        <h2>${translator.t('passkeys')}</h2>
        <p class="soft small">${translator.t('passkeysText')}</p>
        ${cards(about.passkeys.map((passkey) => passkeyCard(translator, shell, passkey)))}
        <p class="soft small" data-passkeys="missing">${translator.t('passkeysMissing')}</p>
        ${passkeyForm(translator, {
          csrf: shell.csrf,
          kind: 'create',
          options: about.passkeyOptions,
          label: 'addPasskey',
          content: html`<label for="name">${translator.t('passkeyName')}</label>
            <input
              id="name"
              name="name"
              type="text"
              maxlength="${String(MAX_NAME_LENGTH)}"
              autocomplete="off"
              required
            />`,
        })}
        <h2>${translator.t('authenticatorApp')}</h2>
        ${
          about.codesLeft === undefined
            ? html`<p class="soft small">${translator.t('authenticatorText')}</p>
                <p>
                  <a class="button quiet" href="${SETTINGS.authenticator}"
                    >${translator.t('setUpAuthenticator')}</a
                  >
                </p>`
            : authenticatorSection(translator, shell, about.codesLeft)
        }`,
  );
}

function passkeyCard(translator: Translator, shell: PageShell, passkey: Passkey): Html {
  return html`<li>
    <h3>${passkey.name}</h3>
    <p class="small soft">
      ${translator.html('made', { time: translator.time(passkey.createdAt) })} ·
      ${
        passkey.lastUsedAt === undefined
          ? translator.t('notUsedYet')
          : translator.html('lastUsed', { time: translator.time(passkey.lastUsedAt) })
      }
    </p>
    <form method="post">
      ${csrfField(shell)}
      <input type="hidden" name="passkey_id" value="${passkey.id}" />
      <button type="submit" class="danger small">${translator.t('removePasskey')}</button>
    </form>
  </li>`;
}

function authenticatorSection(translator: Translator, shell: PageShell, codesLeft: number): Html {
  return html`<p>${translator.t('authenticatorOn')}</p>
    <form method="post">
      ${csrfField(shell)}
      <button type="submit" name="action" value="remove-authenticator" class="danger small">
        ${translator.t('removeAuthenticator')}
      </button>
    </form>
    <h2>${translator.t('recoveryCodes')}</h2>
    <p class="soft small">${translator.t('recoveryCodesLeft', { count: codesLeft })}</p>
    <form method="post">
      ${csrfField(shell)}
      <button type="submit" name="action" value="codes" class="quiet small">
        ${translator.t('newRecoveryCodes')}
      </button>
    </form>`;
}
