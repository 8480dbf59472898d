import type { EventKind, PublicEvent } from '../../kernel/events/event.js';
import { OutgoingError, outgoingUrl, type OutgoingPolicy } from '../../kernel/http/outgoing.js';
import { message, type Message, type PlainKey } from '../../kernel/i18n/message.js';

/** An address that gets events of a workspace. */
export interface Webhook {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly events: readonly EventKind[];
  readonly createdAt: Date;
  /** Since when no delivery has succeeded; undefined after a success. */
  readonly failingSince: Date | undefined;
  /** When it was turned off after {@link GIVE_UP_MS} of failures; undefined while it gets events. */
  readonly disabledAt: Date | undefined;
}

/** An event on its way to a webhook, or after it. */
export interface Delivery {
  readonly id: string;
  readonly type: PublicEvent['type'];
  readonly createdAt: Date;
  readonly attempts: number;
  /** When it is tried next; undefined once it was delivered or given up. */
  readonly dueAt: Date | undefined;
  readonly deliveredAt: Date | undefined;
  /** The HTTP status of the last answer. */
  readonly status: number | undefined;
  /** Why there was no answer to the last attempt. */
  readonly failure: string | undefined;
}

/** How many webhooks a workspace may have. */
export const MAX_WEBHOOKS = 10;

/** How long a failing webhook gets no event, in milliseconds: as long as it has failed so far, within these bounds. */
export const MIN_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 3_600_000;

/** The longest wait that a receiver may ask for, in milliseconds. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * SQL: until when a webhook gets no event; NULL when it gets them. What is later than any pause was noted while the clock was
 * ahead, and does not count.
 * @param now the parameter with the time
 */
export function pausedUntil(now: `$${number}`): string {
  const pause = `LEAST(GREATEST(failed_at - failing_since, interval '${MIN_PAUSE_MS} milliseconds'), interval '${MAX_PAUSE_MS} milliseconds')`;
  const within = (longest: number): string =>
    `${now}::timestamptz + interval '${longest} milliseconds'`;
  return `GREATEST(
    CASE WHEN failed_at <= ${within(MAX_PAUSE_MS)} THEN failed_at + ${pause} END,
    CASE WHEN retry_after <= ${within(MAX_RETRY_AFTER_MS)} THEN retry_after END)`;
}

/** For how long deliveries are repeated, and after how long a failing webhook is turned off, in milliseconds. */
export const GIVE_UP_MS = 3 * 24 * 3_600_000;

const MAX_URL_LENGTH = 1000;

/** What the form of a webhook contains. */
export interface WebhookEntry {
  readonly url: string;
  readonly events: readonly EventKind[];
}

/** The texts for an address that cannot be used. */
const URL_PROBLEMS: Readonly<Record<'not_https' | 'not_public', PlainKey>> = {
  not_https: 'webhookNotHttps',
  not_public: 'webhookNotPublic',
};

/** Reads the form. @param kinds those that can be chosen */
export function readWebhookEntry(form: URLSearchParams, kinds: readonly EventKind[]): WebhookEntry {
  const chosen = form.getAll('events');
  return {
    url: (form.get('url') ?? '').trim(),
    events: kinds.filter(({ name }) => chosen.includes(name)),
  };
}

/** Why a webhook cannot be as in this entry; undefined if it can. */
export function webhookEntryProblem(
  { url, events }: WebhookEntry,
  policy: OutgoingPolicy,
): Message | undefined {
  try {
    outgoingUrl(url, policy);
  } catch (error) {
    const isPrivate = error instanceof OutgoingError && error.failure === 'not_public';
    return message(URL_PROBLEMS[isPrivate ? 'not_public' : 'not_https']);
  }
  if (url.length > MAX_URL_LENGTH) {
    return message('webhookTooLong', { max: MAX_URL_LENGTH });
  }
  return events.length === 0 ? message('webhookChooseEvents') : undefined;
}

/** The name of a webhook: the host of its address. The path may be a secret. */
export function webhookName(url: string): string {
  return new URL(url).host;
}
