import { POLICY_EVENTS } from './events.js';
import type { Audit } from '../accounts/audit.js';
import type { PageHandler } from '../session/authenticated-request.js';
import type { PageShell } from '../session/page-shell.js';
import {
  CODE_SIGN_IN_APPS,
  CODE_SIGN_INS,
  codeSignInPolicies,
  setCodeSignIn,
  type CodeSignInPolicy,
} from '../access/code-sign-in.js';
import type { Database } from '../../kernel/database/database.js';
import { checkedAttr, csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { securitySetting, type SecuritySection } from './security-page.js';

export interface CodeSignInSettingDeps {
  readonly database: Database;
  /** The operator's own policy. It applies in addition to that of the workspace. */
  readonly codeSignIn: CodeSignInPolicy;
  readonly audit: Audit;
}

/** The name and the effect of each rule. */
const RULES: Readonly<Record<CodeSignInPolicy['signIn'], readonly [PlainKey, PlainKey]>> = {
  standard: ['codeStandard', 'codeStandardText'],
  number: ['codeNumber', 'codeNumberText'],
  'same-network': ['codeSameNetwork', 'codeSameNetworkText'],
  off: ['codeOff', 'codeOffText'],
};

const UNSET: CodeSignInPolicy = { signIn: 'standard', apps: 'all' };

/** Lets an owner choose how apps may sign in with a code. */
export function codeSignInSetting({ database, audit }: CodeSignInSettingDeps): PageHandler {
  return securitySetting(async ({ response, account }, workspace, form) => {
    const policy = policyIn(form);
    if (policy === undefined) {
      return false;
    }
    await database.transaction(async (transaction) => {
      const before = (await codeSignInPolicies(transaction, [workspace.id])).get(workspace.id);
      if (before?.signIn === policy.signIn && before.apps === policy.apps) {
        return;
      }
      await setCodeSignIn(transaction, workspace.id, policy);
      await audit(
        response,
        POLICY_EVENTS.changed,
        {
          by: account.id,
          workspace: workspace.id,
          details: { setting: 'code_sign_in', value: `${policy.signIn}, ${policy.apps} apps` },
        },
        transaction,
      );
    });
    return true;
  });
}

/** The policy in a form; undefined for an unknown value. A box that is not ticked is not sent. */
function policyIn(form: URLSearchParams): CodeSignInPolicy | undefined {
  const signIn = CODE_SIGN_INS.find((one) => one === form.get('sign_in'));
  const apps = CODE_SIGN_IN_APPS.find((one) => one === (form.get('apps') ?? 'all'));
  return signIn && apps && { signIn, apps };
}

/** Shows how apps may sign in with a code, and what each rule means. */
export function codeSignInSection({
  database,
  codeSignIn: operator,
}: CodeSignInSettingDeps): SecuritySection {
  return async ({ id }) => {
    const policy = (await codeSignInPolicies(database, [id])).get(id) ?? UNSET;
    return (translator, shell) => sectionOf(translator, shell, { id, policy, operator });
  };
}

function sectionOf(
  translator: Translator,
  shell: PageShell,
  { id, policy, operator }: { id: string; policy: CodeSignInPolicy; operator: CodeSignInPolicy },
): Html {
  return html`<h2>${translator.t('codeSignInHeading')}</h2>
    <p class="soft small">${translator.t('codeSignInExplained')}</p>
    ${operatorRules(operator).map(
      (rule) =>
        html`<p class="box small">
          ${translator.t('operatorRequires', { rule: translator.t(rule) })}
        </p>`,
    )}
    <form method="post" action="${SETTINGS.codeSignIn}">
      ${csrfField(shell)}
      <input type="hidden" name="workspace" value="${id}" />
      <fieldset>
        <legend>${translator.t('howAppsSignIn')}</legend>
        ${CODE_SIGN_INS.map((one) =>
          option(translator, RULES[one], {
            type: 'radio',
            name: 'sign_in',
            value: one,
            isChosen: policy.signIn === one,
          }),
        )}
      </fieldset>
      <fieldset>
        <legend>${translator.t('whichAppsSignIn')}</legend>
        ${option(translator, ['officialAppsOnly', 'officialAppsOnlyText'], {
          type: 'checkbox',
          name: 'apps',
          value: 'official',
          isChosen: policy.apps === 'official',
        })}
      </fieldset>
      <p class="soft small">${translator.t('codeSignInEffect')}</p>
      <button type="submit">${translator.t('saveChanges')}</button>
    </form>`;
}

/** The names of the operator's rules that go beyond the standard. */
function operatorRules({ signIn, apps }: CodeSignInPolicy): PlainKey[] {
  return [
    ...(signIn === 'standard' ? [] : [RULES[signIn][0]]),
    ...(apps === 'all' ? [] : (['officialAppsOnly'] as const)),
  ];
}

function option(
  translator: Translator,
  [label, text]: readonly [PlainKey, PlainKey],
  field: { type: 'radio' | 'checkbox'; name: string; value: string; isChosen: boolean },
): Html {
  const { type, name, value, isChosen } = field;
  const id = `${name}-${value}`;
  return html`<label class="option explained"
    ><input
      type="${type}"
      name="${name}"
      value="${value}"
      aria-labelledby="${id}"
      aria-describedby="${id}-text"
      ${checkedAttr(isChosen)}
    />
    <span
      ><strong id="${id}">${translator.t(label)}</strong>
      <span class="soft small" id="${id}-text">${translator.t(text)}</span></span
    ></label
  >`;
}
