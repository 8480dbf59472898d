import type { ExpiringRows } from './database/cleanup.js';
import type { EventDeclaration } from './events/event.js';
import type { EventSubscriber } from './events/event-log.js';
import type { Message, PlainKey } from './i18n/message.js';

/** A day in milliseconds. */
export const DAY_MS = 24 * 3_600_000;

/** What a module declares: its parts that others list or run. */
export interface Module {
  /** Its tables, each with what one row is. Only the module itself changes them. */
  readonly tables: Readonly<Record<string, string>>;
  /** The rows that the clean-up deletes. */
  readonly expiring: readonly ExpiringRows[];
  /** What happens in it. */
  readonly events: readonly EventDeclaration[];
  /** The descriptions of its data API requests: the `openapi.json` of each feature that has some. */
  readonly api?: readonly ApiDescription[];
  /** Receives the events of all modules. */
  readonly onEvent?: EventSubscriber;
  /** The purposes of keys for what it encrypts, each with what that is. No two modules have the same purpose. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly menu?: readonly MenuEntry[];
  /** Messages about an action, on the page to which it redirects, by the value of `flash` in the address. */
  readonly flashMessages?: Readonly<Record<string, Message>>;
}

/** A part of the OpenAPI document. References in it may point to the components of another part. */
export interface ApiDescription {
  /** The requests by address, with `{id}` in place of `:id`, and by method in small letters. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  /** Components by kind, such as `schemas`, and by name. */
  readonly components?: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** A page in one of the menus. Pages below it name it as their section. */
export interface MenuEntry {
  readonly section: string;
  readonly menu: 'main' | 'settings';
  /** Entries are sorted by it. */
  readonly position: number;
  readonly path: string;
  readonly label: PlainKey;
  /** Whether only owners of the workspace see it. */
  readonly isForOwners?: boolean;
  /** Whether the page is about one workspace, so that another one opens at the same page. */
  readonly isOfWorkspace?: boolean;
  readonly showsPictures?: boolean;
}

/** @param auditDays how long events are kept */
export const kernel = (auditDays: number): Module => ({
  tables: {
    audit_events: 'What happened to an account or in a workspace.',
    attempts: 'How often something with a limit was tried. Lost in a crash of the database.',
    service_secrets: 'A key that the service generated, such as that of cookies or of receipts.',
    transaction_outcomes: 'A committed transaction whose COMMIT may have no answer.',
  },
  expiring: [
    { table: 'attempts', by: 'window_ends', keptMs: 0 },
    { table: 'transaction_outcomes', by: 'expires_at', keptMs: 0 },
    { table: 'audit_events', by: 'happened_at', keptMs: auditDays * DAY_MS },
  ],
  events: [],
});
