import type { UnknownObject } from 'oidc-provider';
import type { Database, Queryable } from '../../kernel/database/database.js';
import { endGrant, lockGrant, type AuditAbout } from '../../identity/index.js';
import { DENIED_BY_NUMBER } from '../interactions/denials.js';
import { deviceInfoOf } from './device-info.js';

/**
 * Ends a device code whose number was not matched, with its grant. The code stays as denied, so that the app and the
 * browser learn the reason.
 * @param id the hash of the device code.
 * @param also called in the same transaction, after the change.
 * @returns false when the code was exchanged or has ended before.
 */
export function denyMismatchedCode(
  database: Database,
  id: string,
  grantId: string,
  also: (transaction: Queryable, workspaceId: string) => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await lockGrant(transaction, grantId);
    const ended = await transaction.query(
      `UPDATE oidc_records
          SET grant_id = NULL,
              payload = payload - 'grantId'
                || jsonb_build_object('error', 'access_denied', 'errorDescription', $3::text)
        WHERE kind = 'DeviceCode' AND id = $1 AND grant_id = $2 AND consumed_at IS NULL
        RETURNING id`,
      [id, grantId, DENIED_BY_NUMBER],
    );
    if (ended.length === 0) {
      return false;
    }
    const [consent] = await transaction.query<{ workspace_id: string }>(
      'SELECT workspace_id FROM consents WHERE grant_id = $1',
      [grantId],
    );
    await endGrant(transaction, grantId);
    if (consent !== undefined) {
      await also(transaction, consent.workspace_id);
    }
    return true;
  });
}

/** What the audit records of a number that was not confirmed: the user may have been deceived. */
export function aboutRefusedNumber(
  code: {
    readonly accountId?: string | undefined;
    readonly clientId?: string | undefined;
    readonly deviceInfo?: UnknownObject | undefined;
  },
  workspace: string,
  clientName = code.clientId,
): AuditAbout {
  const { name, app = clientName, os } = deviceInfoOf(code);
  return {
    workspace,
    ...(code.accountId !== undefined && { user: code.accountId }),
    ids: { client: code.clientId },
    details: {
      ...(name !== undefined && { name }),
      ...(app !== undefined && { app }),
      ...(os !== undefined && { os }),
    },
  };
}
