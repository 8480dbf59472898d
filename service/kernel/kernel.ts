import type { AmbientDatabase } from './database/ambient-transaction.js';
import type { EventDeclaration } from './events/event.js';
import type { AppendEvent } from './events/event-log.js';
import { clientAddress, type ClientAddress } from './http/request/client-address.js';
import type { OutgoingPolicy } from './http/outgoing.js';
import type { Message } from './i18n/message.js';
import type { Log } from './log.js';
import type { MetricsPort } from './metrics/metrics-port.js';
import type { MenuEntry } from './module.js';
import { RateLimiter } from './rate-limit/rate-limiter.js';

/** What the modules declare, joined. */
export interface Declarations {
  readonly events: readonly EventDeclaration[];
  /** The pages of all menus, sorted. */
  readonly menu: readonly MenuEntry[];
  /** See `Module.flashMessages`. */
  readonly flashMessages: ReadonlyMap<string, Message>;
}

/** The inputs of {@link startKernel}. */
export interface KernelInputs extends Declarations {
  readonly database: AmbientDatabase;
  /** The origin under which clients and browsers reach the service. */
  readonly baseUrl: string;
  readonly secrets: {
    /** Makes the tokens of forms and cookies. */
    readonly formKey: string;
    /** The key for secrets in the database that the service must read again, see `secretKeys`. */
    readonly boxKey: string;
  };
  /** Stores an event, and passes it to the modules that receive events. */
  readonly appendEvent: AppendEvent;
  readonly counts: MetricsPort;
  readonly reportError: (error: unknown) => void;
}

/** The options of the kernel. */
export interface KernelOptions {
  readonly trustedProxies: number;
  readonly allowsPrivateAddresses: boolean;
  readonly outgoingProxy?: string | undefined;
  readonly log: Log;
  readonly now: () => Date;
}

/** What every module gets. */
export interface Kernel extends KernelInputs {
  readonly log: Log;
  readonly now: () => Date;
  readonly addressOf: ClientAddress;
  /** Whether browsers reach the service by https; then cookies are for https only. */
  readonly isSecure: boolean;
  /** Limits attempts by action and by source. One counts for all modules. */
  readonly limit: RateLimiter;
  /** Which addresses that users enter the service may connect to. */
  readonly outgoing: OutgoingPolicy;
}

/** Builds what every module gets. */
export function startKernel(inputs: KernelInputs, options: KernelOptions): Kernel {
  const { log, now, outgoingProxy } = options;
  return {
    ...inputs,
    log,
    now,
    addressOf: clientAddress(options.trustedProxies),
    isSecure: inputs.baseUrl.startsWith('https:'),
    limit: new RateLimiter(inputs.database, now, inputs.counts),
    outgoing: {
      allowsPrivate: options.allowsPrivateAddresses,
      proxy: outgoingProxy === undefined ? undefined : new URL(outgoingProxy),
    },
  };
}
