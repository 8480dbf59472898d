import { APP_EVENTS } from './events.js';
import { DAY_MS, type Module } from '../kernel/module.js';

/**
 * How long expired device codes are kept, in milliseconds. Anybody can have them made, so it is short; but a client
 * that polls late still gets `expired_token`, and not an answer as for an unknown code.
 */
const KEEP_DEVICE_CODES_MS = 3_600_000;

/** A consent is deleted with its grant. */
const CONSENTS = `DELETE FROM consents
  WHERE grant_id IN (SELECT id FROM gone WHERE kind = 'Grant')`;

export const oauth: Module = {
  tables: {
    consents: 'What a user allowed an app on one computer: the connection.',
    device_polls: 'When an app polled for a device code. Lost in a crash of the database.',
    dpop_proofs: 'A proof that was used. Lost in a crash of the database.',
    oauth_clients: 'An app that a workspace registered.',
  },
  expiring: [
    { table: 'dpop_proofs', by: 'expires_at', keptMs: 0 },
    {
      table: 'oidc_records',
      by: 'expires_at',
      kinds: `kind = 'DeviceCode'`,
      keptMs: KEEP_DEVICE_CODES_MS,
    },
    { table: 'oidc_records', by: 'expires_at', keptMs: DAY_MS, with: CONSENTS },
    { table: 'device_polls', by: 'first_polled_at', keptMs: KEEP_DEVICE_CODES_MS },
  ],
  events: [...Object.values(APP_EVENTS)],
};
