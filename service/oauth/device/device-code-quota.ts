import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { widerNetworks, type ClientAddress } from '../../kernel/http/request/client-address.js';
import type { RateLimiter, RateLimitRule } from '../../kernel/rate-limit/rate-limiter.js';
import { message, waitDuration, type Message } from '../../kernel/i18n/message.js';
import { formatEnglish } from '../../kernel/i18n/translator.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';

/** How many rows of a kind one address may have stored within 15 minutes. */
interface Allowance {
  readonly what: string;
  readonly max: number;
  /** The same while networks around the address, or all addresses together, have very many. Never zero. */
  readonly whenEscalated: number;
}

const DEVICE_CODES: Allowance = { what: 'device codes', max: 100, whenEscalated: 10 };
const SIGN_IN_PAGES: Allowance = { what: 'sign-in pages', max: 300, whenEscalated: 30 };

/** A network is under pressure when it has more than this many times the allowance of one address. */
const NETWORK_FACTOR = 10;
const EVERYWHERE_FACTOR = 100;

/** The rule that counts a request, and the message for the user after too many. */
interface Limited {
  readonly rule: RateLimitRule;
  readonly problem: 'tooManyRequests' | 'tooManyOfUser';
}

type Refuse = (ctx: KoaContextWithOIDC, problem: Message) => void;

/**
 * Limits the rows that anonymous clients can create: device codes, and interactions (requests on their way through
 * sign-in and consent). Every request that would store one of them is counted, before the row is written.
 */
export class DeviceCodeQuota {
  constructor(
    private readonly provider: Provider,
    private readonly limit: RateLimiter,
    private readonly addressOf: ClientAddress,
  ) {}

  /** For what oidc-provider answers. `refuse` answers with a page. */
  middleware(refuse: Refuse) {
    return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
      const counted = await this.limitFor(ctx);
      const taken = counted && (await this.limit.consume([counted.rule]));
      if (counted === undefined || taken === undefined || !('waitSeconds' in taken)) {
        await next();
        return;
      }
      ctx.status = 429;
      ctx.set('Retry-After', String(taken.waitSeconds));
      const problem = message(counted.problem, { time: waitDuration(taken.waitSeconds) });
      if (ctx.path === ROUTES.device_authorization) {
        // RFC 6749 has no error for this. `slow_down` is for polling only (RFC 8628 §3.5); this one
        // is registered for "a temporary overloading" (§4.1.2.1). The status is that of RFC 6585 §4.
        ctx.set('Cache-Control', 'no-store');
        ctx.body = { error: 'temporarily_unavailable', error_description: formatEnglish(problem) };
      } else {
        refuse(ctx, problem);
      }
    };
  }

  private async limitFor({
    req,
    res,
    path,
    method,
  }: KoaContextWithOIDC): Promise<Limited | undefined> {
    const ofAddress = (allowance: Allowance): Limited => ({
      rule: rule(allowance, this.addressOf(req)),
      problem: 'tooManyRequests',
    });
    if (path === ROUTES.device_authorization) {
      return method === 'POST' ? ofAddress(DEVICE_CODES) : undefined;
    }
    const beginsSignIn =
      path === ROUTES.authorization || (path === ROUTES.code_verification && method === 'POST');
    if (!beginsSignIn) {
      return undefined;
    }
    const { provider } = this;
    const { accountId } = await provider.Session.get(provider.createContext(req, res));
    return accountId === undefined
      ? ofAddress(SIGN_IN_PAGES)
      : {
          rule: { key: ['sign-in pages of user', accountId], max: SIGN_IN_PAGES.max },
          problem: 'tooManyOfUser',
        };
  }
}

function rule({ what, max, whenEscalated }: Allowance, address: string): RateLimitRule {
  const networks = widerNetworks(address).map((network) => ({
    escalation: { key: [`${what} from network`, network], above: NETWORK_FACTOR * max } as const,
    max: whenEscalated,
  }));
  const everywhere = {
    escalation: { key: [`${what} from everywhere`], above: EVERYWHERE_FACTOR * max } as const,
    max: whenEscalated,
  };
  return { key: [`${what} from address`, address], max, whenEscalated: [...networks, everywhere] };
}
