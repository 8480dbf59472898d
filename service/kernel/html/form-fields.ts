import { html, type Html } from '../html-tag.js';

/** The hidden field with the anti-forgery token that every form carries. */
export function csrfField(shell: { readonly csrf: string }): Html {
  return html`<input type="hidden" name="csrf" value="${shell.csrf}" />`;
}

/** The attribute of a checkbox or radio button that is chosen. */
export function checkedAttr(is: boolean): Html | undefined {
  return is ? html`checked` : undefined;
}

/** The attribute of an option that is chosen. */
export function selectedAttr(is: boolean): Html | undefined {
  return is ? html`selected` : undefined;
}
