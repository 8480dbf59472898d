import { html } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import { message, type PlainKey } from '../../kernel/i18n/message.js';
import { signedInAs, type CodeRefusal } from '../../identity/index.js';

/** Why a sign-in with a code is not allowed. */
export type NotAllowed =
  | { readonly by: 'workspace' | 'operator'; readonly why: CodeRefusal }
  | 'wrong-numbers';

const BY_WORKSPACE: Readonly<Record<CodeRefusal, PlainKey>> = {
  off: 'codeSignInOff',
  unofficial: 'codeSignInOfficialOnly',
  'other-network': 'codeSignInOtherNetwork',
  'no-number': 'codeSignInNoNumber',
};

const BY_OPERATOR: Readonly<Record<CodeRefusal, PlainKey>> = {
  off: 'serviceCodeSignInOff',
  unofficial: 'serviceCodeSignInOfficialOnly',
  'other-network': 'serviceCodeSignInOtherNetwork',
  'no-number': 'serviceCodeSignInNoNumber',
};

/** Replaces the consent page where a policy refuses the sign-in with a code. It posts to the page's address. */
export function notAllowedPage(about: {
  csrf: string;
  /** The page's address: it shows the consent page once the policy or the network has changed. */
  address: string;
  clientName: string;
  accountName: string;
  username: string;
  /** See {@link signedInAs}. */
  companyName: string | undefined;
  reason: NotAllowed;
}): Page {
  return page(
    'notAllowed',
    (translator) =>
      html`<h1>${translator.html('notAllowedHeading', { app: about.clientName })}</h1>
        ${signedInAs(translator, about)} ${errorBox(translator, message(reasonOf(about.reason)))}
        <p><a class="button" href="${about.address}">${translator.t('checkAgain')}</a></p>
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          <button type="submit" name="decision" value="deny" class="quiet">
            ${translator.t('doNotConnect')}
          </button>
        </form>`,
  );
}

function reasonOf(reason: NotAllowed): PlainKey {
  return reason === 'wrong-numbers'
    ? 'codeSignInWrongNumbers'
    : (reason.by === 'operator' ? BY_OPERATOR : BY_WORKSPACE)[reason.why];
}
