import type { ExpiringRows } from './database/cleanup.js';

/** A day in milliseconds. */
export const DAY_MS = 24 * 3_600_000;

/** What a module declares: its parts that others list or run. */
export interface Module {
  /** Its tables, each with what one row is. Only the module itself changes them. */
  readonly tables: Readonly<Record<string, string>>;
  /** The rows that the clean-up deletes. */
  readonly expiring: readonly ExpiringRows[];
}

export const kernel: Module = {
  tables: {
    attempts: 'How often something with a limit was tried. Lost in a crash of the database.',
    service_secrets: 'A key that the service generated, such as that of cookies or of receipts.',
    transaction_outcomes: 'A committed transaction whose COMMIT may have no answer.',
  },
  expiring: [
    { table: 'attempts', by: 'window_ends', keptMs: 0 },
    { table: 'transaction_outcomes', by: 'expires_at', keptMs: 0 },
  ],
};
