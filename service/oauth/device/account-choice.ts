import type { KoaContextWithOIDC } from 'oidc-provider';
import { isRoute } from '../context/request-state.js';

/** The parameter of the device page's address, and of its forms, that requests the choice of an account. */
export const ACCOUNT_CHOICE = { name: 'prompt', value: 'select_account' } as const;

/** {@link ACCOUNT_CHOICE} as the query of an address. */
export const ACCOUNT_CHOICE_QUERY = `?${ACCOUNT_CHOICE.name}=${ACCOUNT_CHOICE.value}`;

/**
 * Whether a request to the device page is for an app that lets its user change accounts. Its user then chooses an
 * account before the consent page. Any other value of the parameter is ignored.
 */
export function requestsAccountChoice(ctx: KoaContextWithOIDC): boolean {
  if (!isRoute(ctx, 'code_verification')) {
    return false;
  }
  const { name, value } = ACCOUNT_CHOICE;
  const form: unknown = ctx.oidc.body;
  const sent: unknown =
    ctx.method === 'POST' && typeof form === 'object' && form !== null
      ? Reflect.get(form, name)
      : ctx.query[name];
  return sent === value;
}
