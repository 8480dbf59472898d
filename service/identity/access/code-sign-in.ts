import type { Queryable } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';
import type { NetworkRelation } from '../../kernel/http/request/client-address.js';
import { endGrant } from './grants.js';

/** How apps may sign in with a code ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)). */
export const CODE_SIGN_INS = ['standard', 'number', 'same-network', 'off'] as const;
/** Which apps may do so: all, or only those of the platform. */
export const CODE_SIGN_IN_APPS = ['all', 'official'] as const;

/** The policy of a workspace, or of the operator. */
export interface CodeSignInPolicy {
  readonly signIn: (typeof CODE_SIGN_INS)[number];
  readonly apps: (typeof CODE_SIGN_IN_APPS)[number];
}

/** What a policy depends on. */
export interface CodeRequest {
  /** Whether the app is the platform's own. */
  readonly isOfficial: boolean;
  /** Whether the app lets its user choose a number. */
  readonly showsNumbers: boolean;
  /** Whether the code came with the address that the app opened; else the user typed it. */
  readonly isByLink: boolean;
  /** How the network of the app relates to that of the browser. */
  readonly relation: NetworkRelation;
}

/** Why a policy refuses a sign-in. */
export type CodeRefusal = 'off' | 'other-network' | 'no-number' | 'unofficial';

/**
 * Decides whether an app may sign in with a code. Nothing binds the browser to the app, so the user may approve the
 * request of an attacker ([RFC 8628 §5.4](https://www.rfc-editor.org/rfc/rfc8628#section-5.4)). The number binds them:
 * the browser shows it, and the user chooses it in the app. It is not needed when the app has opened the page itself
 * and both are on one network.
 * @param policies all of them must be satisfied.
 * @returns `number` when the user must choose the number in the app before it gets tokens.
 */
export function decideCodeSignIn(
  policies: readonly CodeSignInPolicy[],
  { isOfficial, showsNumbers, isByLink, relation }: CodeRequest,
): 'allow' | 'number' | CodeRefusal {
  const has = (signIn: CodeSignInPolicy['signIn']): boolean =>
    policies.some((policy) => policy.signIn === signIn);
  if (has('off')) {
    return 'off';
  }
  if (!isOfficial && policies.some(({ apps }) => apps === 'official')) {
    return 'unofficial';
  }
  if (has('same-network') && relation !== 'same') {
    return 'other-network';
  }
  if (has('number') && !showsNumbers) {
    return 'no-number';
  }
  const isBound = isByLink && relation === 'same';
  return has('number') || (showsNumbers && !isBound) ? 'number' : 'allow';
}

/** The policies of workspaces, by id. */
export async function codeSignInPolicies(
  database: Queryable,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, CodeSignInPolicy>> {
  const rows = await database.query<CodeSignInPolicy & { id: string }>(
    `SELECT id, code_sign_in AS "signIn", code_sign_in_apps AS apps
       FROM workspaces WHERE id = ANY (${idArray('$1')})`,
    [JSON.stringify(workspaceIds)],
  );
  return new Map(rows.map(({ id, signIn, apps }) => [id, { signIn, apps }]));
}

/**
 * Changes the policy of a workspace. Call it in a transaction. Codes that were allowed under the old policy and not
 * exchanged for tokens end; apps that are connected stay connected.
 */
export async function setCodeSignIn(
  transaction: Queryable,
  workspaceId: string,
  { signIn, apps }: CodeSignInPolicy,
): Promise<void> {
  await transaction.query(
    'UPDATE workspaces SET code_sign_in = $2, code_sign_in_apps = $3 WHERE id = $1',
    [workspaceId, signIn, apps],
  );
  const pending = await transaction.query<{ grant_id: string }>(
    `SELECT consents.grant_id FROM consents
       JOIN oidc_records ON oidc_records.grant_id = consents.grant_id
      WHERE consents.workspace_id = $1 AND oidc_records.kind = 'DeviceCode'
        AND oidc_records.consumed_at IS NULL
      ORDER BY consents.grant_id`,
    [workspaceId],
  );
  for (const { grant_id: grantId } of pending) {
    await endGrant(transaction, grantId);
  }
}
