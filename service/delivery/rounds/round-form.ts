import { checkedAttr } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { readMailAddress } from '../../kernel/mail/mail-address.js';
import { guestNameOf, MAX_REVIEWERS, type NewReviewer } from '../../library/index.js';

/** What the fields about a decision contain. */
export interface DecisionEntry {
  readonly isWanted: boolean;
  readonly reviewers: string;
}

/** Reads reviewers, one on each line: a name, an address, or a name with its address in angle brackets. */
export function parseReviewers(text: string): NewReviewer[] | undefined {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return checkReviewers(
    lines.map((line) => {
      // Short subject: the lines of a field.
      const [, before, inBrackets] = /^([^<>]*)<([^<>]*)>$/.exec(line) ?? [];
      const typed = inBrackets ?? (line.includes('@') ? line : undefined);
      const named = before?.trim() ?? '';
      const name = named === '' && typed !== undefined ? typed.split('@')[0] : named;
      return { name: typed === undefined ? line : (name ?? ''), email: typed };
    }),
  );
}

/** The reviewers with their names and addresses as they are stored; undefined if one is not valid, or two have one name. */
export function checkReviewers(typed: readonly NewReviewer[]): NewReviewer[] | undefined {
  const reviewers = typed.flatMap(({ name: text, email: address, locale }) => {
    const name = guestNameOf(text);
    const email = address === undefined ? undefined : readMailAddress(address);
    return name === undefined || (address !== undefined && email === undefined)
      ? []
      : [{ name, email, locale }];
  });
  const names = new Set(reviewers.map(({ name }) => name));
  const isValid =
    reviewers.length === typed.length &&
    names.size === typed.length &&
    typed.length > 0 &&
    typed.length <= MAX_REVIEWERS;
  return isValid ? reviewers : undefined;
}

/** Reviewers as {@link parseReviewers} reads them. */
export function formatReviewers(reviewers: readonly NewReviewer[]): string {
  return reviewers
    .map(({ name, email }) => (email === undefined ? name : `${name} <${email}>`))
    .join('\n');
}

/** @param day the field for the date */
export function decisionFields(
  translator: Translator,
  { isWanted, reviewers }: DecisionEntry,
  day: Html,
): Html {
  return html`<fieldset>
    <legend>${translator.t('decision')}</legend>
    <label class="option">
      <input type="checkbox" name="decision" value="1" ${checkedAttr(isWanted)} />
      ${translator.t('decisionAsk')}
    </label>
    <label for="reviewers">${translator.t('decisionReviewers')}</label>
    <textarea id="reviewers" name="reviewers" rows="3" aria-describedby="reviewers-text">
${reviewers}</textarea>
    <p class="small soft" id="reviewers-text">
      ${translator.html('decisionReviewersText', {
        example: html`<span translate="no">Mia &lt;mia@example.com&gt;</span>`,
      })}
    </p>
    ${day}
  </fieldset>`;
}
