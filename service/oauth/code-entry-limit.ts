import type { KoaContextWithOIDC } from 'oidc-provider';
import type { ClientAddress } from '../http/client-address.js';
import type { AttemptLimit } from '../limits/attempt-limit.js';
import { tryAgainIn } from '../limits/attempt-limit.js';
import { ROUTES } from './routes.js';

/** Wrong codes within 15 minutes, from one address and from everywhere. */
const MAX_PER_ADDRESS = 20;
const MAX_IN_ALL = 2000;

const WRONG_CODE = Symbol('wrong code');

/** Says that the code of this request does not exist; called where the page for that is made. */
export function markWrongCode(ctx: KoaContextWithOIDC): void {
  Object.assign(ctx.state, { [WRONG_CODE]: true });
}

/**
 * Limits guessing of user codes (RFC 8628 §5.1). A code has 20^8 values. With the limit for all
 * addresses together and a thousand codes waiting, guessing for 15 minutes finds one with a
 * probability of 2000 · 1000 / 20^8, about one in thirteen thousand.
 * @param refuse answers with a page, given the sentence for the person.
 */
export function limitCodeEntry(
  limit: AttemptLimit,
  addressOf: ClientAddress,
  refuse: (ctx: KoaContextWithOIDC, sentence: string) => void,
) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.method !== 'POST' || ctx.path !== ROUTES.code_verification) {
      await next();
      return;
    }
    const rules = [
      { key: `code address ${addressOf(ctx.req)}`, max: MAX_PER_ADDRESS },
      { key: 'code everywhere', max: MAX_IN_ALL },
    ];
    const wait = await limit.take(rules);
    if (wait !== undefined) {
      ctx.status = 429;
      ctx.set('Retry-After', String(wait));
      refuse(ctx, `Too many wrong codes were entered. ${tryAgainIn(wait)}`);
      return;
    }
    await next();
    const state: Partial<Record<symbol, unknown>> = ctx.state;
    if (state[WRONG_CODE] !== true) await limit.giveBack(rules);
  };
}
