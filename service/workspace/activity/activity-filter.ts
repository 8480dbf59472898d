import type { EventKind } from '../../kernel/events/event.js';
import type { Membership } from '../../identity/index.js';

/** What the owner of a workspace wants to see. */
export interface ActivityFilter {
  readonly workspace: Membership;
  readonly kind: EventKind | undefined;
  /** The id of an account. */
  readonly user: string | undefined;
}

/**
 * Reads the filter from a query.
 * @param kinds those of all events
 * @returns undefined for a user who owns no workspace, or not the one in the query.
 */
export function readFilter(
  query: URLSearchParams,
  memberships: readonly Membership[],
  kinds: readonly EventKind[],
): ActivityFilter | undefined {
  const owned = memberships.filter(({ role }) => role === 'owner');
  const wanted = query.get('workspace');
  const workspace = wanted === null ? owned[0] : owned.find(({ id }) => id === wanted);
  return (
    workspace && {
      workspace,
      kind: kinds.find(({ name }) => name === query.get('kind')),
      user: query.get('user') === '' ? undefined : (query.get('user') ?? undefined),
    }
  );
}

/** The filter as the query of an address. */
export function writeFilter(
  { workspace, kind, user }: ActivityFilter,
  more: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({
    workspace: workspace.id,
    ...(kind && { kind: kind.name }),
    ...(user !== undefined && { user }),
    ...more,
  });
  return `?${query.toString()}`;
}
