import type { Membership } from '../accounts/accounts.js';
import type { JoinPolicy, IdentityProvider, SignInFailure } from './identity-providers.js';
import { renderShell, type PageShell } from '../session/page-shell.js';
import { cards, copyField } from '../../kernel/html/components.js';
import { checkedAttr, csrfField } from '../../kernel/html/form-fields.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Message, PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import type { DomainRecord } from './domain-names.js';

/** An entry as the form has it: every value as it was typed. */
export interface TypedEntry {
  readonly issuer: string;
  readonly clientId: string;
  readonly domains: string;
  readonly admits: JoinPolicy;
}

/** The parts of the page. */
interface Shown {
  readonly workspace: Membership;
  readonly provider: IdentityProvider | undefined;
  readonly entry: TypedEntry | undefined;
  /** The records of the domains that are not confirmed yet. */
  readonly records: readonly (DomainRecord & { readonly domain: string })[];
  readonly redirectUri: string;
  readonly directLink: string;
  readonly problem: Message | undefined;
  /** The cause of the problem, for those who manage the provider. */
  readonly details: string | undefined;
  /** The latest sign-in that failed, with the words for its reason. */
  readonly lastFailure: (SignInFailure & { readonly key: PlainKey }) | undefined;
}

const JOIN_POLICIES: readonly (readonly [JoinPolicy, PlainKey])[] = [
  ['invited', 'admitsInvited'],
  ['domain', 'admitsDomain'],
];

/** "Company account": the provider of a workspace. */
export function companySettingsPage(shell: PageShell, shown: Shown): Page {
  const { workspace, provider } = shown;
  return renderShell(
    'companyAccount',
    'security',
    shell,
    (translator) =>
      html`<h1>${translator.t('companyAccount')}</h1>
        <p class="soft">${translator.html('companyAccountText', { workspace: workspace.name })}</p>
        ${errorBox(translator, shown.problem)} ${causeLine(translator, shown.details)}
        ${provider && inUse(translator, shell, shown, provider)}
        ${provider && html`<h2>${translator.t('companyProvider')}</h2>`}
        ${entryForm(translator, shell, shown)}
        ${provider && removeForm(translator, shell, workspace.id)}`,
  );
}

function fields(shell: PageShell, workspaceId: string, action: string): Html {
  return html`${csrfField(shell)}
    <input type="hidden" name="workspace" value="${workspaceId}" />
    <input type="hidden" name="action" value="${action}" />`;
}

function inUse(
  translator: Translator,
  shell: PageShell,
  { workspace, records, directLink, lastFailure }: Shown,
  provider: IdentityProvider,
): Html {
  return html`<p>${translator.t('companyDirectLink')}</p>
    ${copyField(translator, 'direct_link', directLink)}
    <form method="post" action="${SETTINGS.companyAccount}">
      ${fields(shell, workspace.id, 'test')}
      <button type="submit" class="quiet small">${translator.t('companyTest')}</button>
    </form>
    ${
      lastFailure &&
      html`<p class="small">
          ${translator.html('companyLastFailure', { time: translator.time(new Date(lastFailure.at)) })}
          ${translator.t(lastFailure.key)}
        </p>
        ${causeLine(translator, lastFailure.details)}`
    }
    <h2>${translator.t('companyDomains')}</h2>
    ${records.length === 0 ? undefined : html`<p class="soft small">${translator.t('domainText')}</p>`}
    ${cards(
      provider.domains.map(({ name }, at) => {
        const record = records.find(({ domain }) => domain === name);
        return html`<li>
          <h3>${verbatim(name)}</h3>
          ${
            record === undefined
              ? html`<p class="small soft">${translator.t('domainConfirmed')}</p>`
              : html`<p class="small soft">${translator.t('domainRecordName')}</p>
                  ${copyField(translator, `record_name_${at}`, record.name)}
                  <p class="small soft">${translator.t('domainRecordValue')}</p>
                  ${copyField(translator, `record_value_${at}`, record.value)}
                  <form method="post" action="${SETTINGS.companyAccount}">
                    ${fields(shell, workspace.id, 'check')}
                    <input type="hidden" name="domain" value="${name}" />
                    <button type="submit" class="quiet small">
                      ${translator.t('domainCheck')}
                    </button>
                  </form>`
          }
        </li>`;
      }),
    )}`;
}

/** The cause of a failure as the provider or the library words it. */
function causeLine(translator: Translator, details: string | undefined): Html | undefined {
  return details === undefined || details === ''
    ? undefined
    : html`<p class="small soft">
        ${translator.t('companyCause')} <code translate="no">${verbatim(details)}</code>
      </p>`;
}

function entryForm(
  translator: Translator,
  shell: PageShell,
  { workspace, provider, entry, redirectUri }: Shown,
): Html {
  const text = (name: string, label: PlainKey, value: string, type: 'url' | 'text'): Html =>
    html`<label for="${name}">${translator.t(label)}</label>
      <input
        id="${name}"
        name="${name}"
        type="${type}"
        value="${value}"
        maxlength="512"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        required
      />`;
  const isFirst = provider === undefined;
  return html`<p>${translator.t('companyRedirectUri')}</p>
    ${copyField(translator, 'redirect_uri', redirectUri)}
    <form method="post" action="${SETTINGS.companyAccount}">
      ${fields(shell, workspace.id, 'save')}
      ${text('issuer', 'companyIssuer', entry?.issuer ?? '', 'url')}
      ${isFirst ? undefined : html`<p class="small soft">${translator.t('companyIssuerText')}</p>`}
      ${text('client_id', 'clientId', entry?.clientId ?? '', 'text')}
      <label for="client_secret">${translator.t('clientSecret')}</label>
      <input
        id="client_secret"
        name="client_secret"
        type="password"
        maxlength="512"
        autocomplete="off"
        ${isFirst ? html`required` : undefined}
      />
      ${isFirst ? undefined : html`<p class="small soft">${translator.t('companySecretKept')}</p>`}
      <label for="domains">${translator.t('companyDomains')}</label>
      <textarea id="domains" name="domains" rows="3" spellcheck="false" translate="no" required>
${entry?.domains ?? ''}</textarea>
      <p class="small soft">${translator.t('companyDomainsText')}</p>
      <fieldset>
        <legend>${translator.t('companyAdmits')}</legend>
        ${JOIN_POLICIES.map(
          ([value, label]) =>
            html`<label class="option"
              ><input
                type="radio"
                name="admits"
                value="${value}"
                ${checkedAttr((entry?.admits ?? 'invited') === value)}
              />
              ${translator.t(label)}</label
            >`,
        )}
      </fieldset>
      <button type="submit">${translator.t('saveChanges')}</button>
    </form>`;
}

function removeForm(translator: Translator, shell: PageShell, workspaceId: string): Html {
  return html`<h2>${translator.t('companyRemove')}</h2>
    <p class="soft small">${translator.t('companyRemoveText')}</p>
    <form method="post" action="${SETTINGS.companyAccount}">
      ${fields(shell, workspaceId, 'remove')}
      <label class="option"
        ><input type="checkbox" name="confirm" value="yes" required />
        ${translator.t('companyRemoveConfirm')}</label
      >
      <button type="submit" class="danger small">${translator.t('companyRemove')}</button>
    </form>`;
}
