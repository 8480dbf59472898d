import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { readMailAddress } from '../../kernel/mail/mail-address.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';

/** How users get a new password who forgot theirs. */
export interface PasswordHelp {
  /** Whether the service sends links by mail. */
  readonly sendsMail: boolean;
  /** Whom to ask: an e-mail address, an https address or words; undefined when the operator named nobody. */
  readonly contact: string | undefined;
}

/** A line for the sign-in page: a link to the page that sends mail, or whom to ask. Undefined without either. */
export function forgottenPassword(
  translator: Translator,
  { sendsMail, contact }: PasswordHelp,
): Html | undefined {
  if (sendsMail) {
    return html`<p class="small">
      <a href="${PEOPLE_PATHS.forgotPassword}">${translator.t('forgotPassword')}</a>
    </p>`;
  }
  return contact === undefined
    ? undefined
    : html`<p class="small soft">
        ${translator.html('forgotAsk', { contact: contactLink(contact) })}
      </p>`;
}

/** Whom to ask, as a link if it is an address. */
export function contactLink(contact: string): Html {
  const address = readMailAddress(contact);
  const url =
    address === undefined
      ? /^https:\/\/\S+$/.test(contact) && contact
      : `mailto:${encodeURIComponent(address).replace('%40', '@')}`;
  return url === false
    ? html`<bdi>${contact}</bdi>`
    : html`<a href="${url}">${verbatim(contact)}</a>`;
}
