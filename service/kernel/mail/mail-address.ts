import { domainToASCII } from 'node:url';

/** The longest address ([RFC 5321 §4.5.3.1](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1)). */
export const MAX_ADDRESS_LENGTH = 254;

/** The part before the @, as in [HTML](https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address). */
const LOCAL_PART = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}$/;

const DOMAIN =
  /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/;

/**
 * Reads a typed e-mail address. No character with a meaning in a header is accepted: quotes, commas, brackets, line breaks.
 * @returns the address with its domain in lower case and ASCII; undefined when it is not one.
 */
export function readMailAddress(text: string): string | undefined {
  const typed = text.trim();
  const at = typed.lastIndexOf('@');
  const local = typed.slice(0, Math.max(at, 0));
  const domain = domainToASCII(typed.slice(at + 1));
  const address = `${local}@${domain}`;
  return LOCAL_PART.test(local) && DOMAIN.test(domain) && address.length <= MAX_ADDRESS_LENGTH
    ? address
    : undefined;
}
