import { html } from '../../platform/html-tag.js';
import { page, errorBox, type Page } from '../../platform/html/layout.js';
import { message, type PlainKey } from '../../platform/i18n/message.js';
import type { CodeRefusal } from '../device/code-sign-in.js';
import { signedInAs } from './signed-in-as.js';

const REASONS: Readonly<Record<CodeRefusal | 'wrong-numbers', PlainKey>> = {
  off: 'codeSignInOff',
  unofficial: 'codeSignInOfficialOnly',
  'other-network': 'codeSignInOtherNetwork',
  'no-number': 'codeSignInNoNumber',
  'wrong-numbers': 'codeSignInWrongNumbers',
};

/** Replaces the consent page where a policy refuses the sign-in with a code. It posts to the page's address. */
export function notAllowedPage(about: {
  csrf: string;
  /** The page's address: it shows the consent page once the policy or the network has changed. */
  address: string;
  clientName: string;
  accountName: string;
  username: string;
  why: CodeRefusal | 'wrong-numbers';
}): Page {
  return page(
    'notAllowed',
    (translator) =>
      html`<h1>${translator.t('notAllowedHeading', { app: about.clientName })}</h1>
        ${signedInAs(translator, about)} ${errorBox(translator, message(REASONS[about.why]))}
        <p><a class="button" href="${about.address}">${translator.t('checkAgain')}</a></p>
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          <button type="submit" name="decision" value="deny" class="quiet">
            ${translator.t('doNotConnect')}
          </button>
        </form>`,
  );
}
