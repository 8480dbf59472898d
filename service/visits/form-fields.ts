import { markup, type Html } from '../pages/html.js';

/** The hidden field with the anti-forgery token that every form carries. */
export function csrfField(frame: { readonly csrf: string }): Html {
  return markup`<input type="hidden" name="csrf" value="${frame.csrf}" />`;
}

/** The attribute of a checkbox or radio button that is chosen. */
export function checked(is: boolean): Html | undefined {
  return is ? markup` checked` : undefined;
}

/** The attribute of an option that is chosen. */
export function selected(is: boolean): Html | undefined {
  return is ? markup` selected` : undefined;
}
