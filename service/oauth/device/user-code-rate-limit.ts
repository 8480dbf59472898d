import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { widerNetworks, type ClientAddress } from '../../kernel/http/request/client-address.js';
import type { RateLimiter, RateLimitRule } from '../../kernel/rate-limit/rate-limiter.js';
import { message, waitDuration, type Message } from '../../kernel/i18n/message.js';
import { stateOf } from '../context/request-state.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';

/** Wrong codes within 15 minutes: of one signed-in user, or from one address. */
const MAX_PER_SOURCE = 20;
/** The same for an address while networks around it, or all addresses together, enter very many. */
const MAX_WHEN_ESCALATED = 5;
const ATTACK_FROM_NETWORK = 100;
const ATTACK_FROM_EVERYWHERE = 1000;
/**
 * After this many wrong codes, users must sign in before they enter a code. They need to sign in anyway to connect an
 * app.
 */
const SIGN_IN_FIRST = 20_000;

/**
 * Limits guessing of user codes ([RFC 8628 §5.1](https://www.rfc-editor.org/rfc/rfc8628#section-5.1)).
 *
 * A code has 20^8 values. All signed-out clients together can enter {@link SIGN_IN_FIRST} wrong codes in 15 minutes.
 * With a thousand open codes, they find one with a probability of 20,000 · 1000 / 20^8, about one in 1,300. With ten
 * open codes, as in a service of ordinary size, it is one in 128,000.
 *
 * Wrong codes of others do not lock users out: each signed-in user has a separate allowance, also when that of their
 * address or the common one is used up.
 * @param refuse sends a page with the message for the user.
 */
export function limitUserCodeEntry(
  provider: Provider,
  limit: RateLimiter,
  addressOf: ClientAddress,
  refuse: (ctx: KoaContextWithOIDC, problem: Message) => void,
) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.method !== 'POST' || ctx.path !== ROUTES.code_verification) {
      await next();
      return;
    }
    const { accountId } = await provider.Session.get(provider.createContext(ctx.req, ctx.res));
    const taken = await limit.consume([
      accountId === undefined ? addressRule(addressOf(ctx.req)) : userRule(accountId),
    ]);
    if ('waitSeconds' in taken) {
      ctx.status = 429;
      ctx.set('Retry-After', String(taken.waitSeconds));
      const problem = accountId === undefined ? 'wrongCodesSignIn' : 'wrongCodes';
      refuse(ctx, message(problem, { time: waitDuration(taken.waitSeconds) }));
      return;
    }
    await next();
    if (stateOf(ctx).isWrongCode !== true) {
      await limit.refund(taken);
    }
  };
}

function userRule(accountId: string): RateLimitRule {
  return { key: ['wrong codes of user', accountId], max: MAX_PER_SOURCE };
}

function addressRule(address: string): RateLimitRule {
  const everywhere = ['wrong codes from everywhere'] as const;
  return {
    key: ['wrong codes from address', address],
    max: MAX_PER_SOURCE,
    whenEscalated: [
      ...widerNetworks(address).map((network) => ({
        escalation: {
          key: ['wrong codes from network', network],
          above: ATTACK_FROM_NETWORK,
        } as const,
        max: MAX_WHEN_ESCALATED,
      })),
      { escalation: { key: everywhere, above: ATTACK_FROM_EVERYWHERE }, max: MAX_WHEN_ESCALATED },
      { escalation: { key: everywhere, above: SIGN_IN_FIRST }, max: 0 },
    ],
  };
}
