import type { AuthenticatedRequest } from '../../../identity/index.js';
import { filterOf, readQuery, viewIn } from '../data/photo-query.js';
import type { PhotoTable } from '../data/photo-table.js';
import { pageOfList, withProblem } from './change-message.js';
import { isWholeList, selectedOfList, selectedPhotos } from './selection.js';

/** Photos of one list, by the ids of their current versions. They are in one workspace. */
interface ListedIds {
  readonly workspaceId: string;
  readonly ids: readonly string[];
  /** The project of the list; empty for none. */
  readonly project: string;
}

/**
 * The photos of the list that the address describes, or those of it that a form selects, as far as the user sees them.
 * @returns `problem`: where to redirect to, with a message, when a form selects nothing or too much
 */
export async function photosOfList(
  photos: Pick<PhotoTable, 'listed' | 'severalCurrent'>,
  context: AuthenticatedRequest,
  most: number,
): Promise<ListedIds | { readonly problem: string } | 'nothing' | 'too many'> {
  const { form, account, memberships } = context;
  const query = readQuery(context.query, memberships);
  if (query === undefined) {
    return 'nothing';
  }
  const about = { workspaceId: query.workspace.id, project: query.project };
  if (form !== undefined && !isWholeList(context)) {
    const selected = await selectedPhotos(photos, context);
    const problem = selected === undefined ? 'selectedTooMany' : 'chooseSome';
    const ids = (selected ?? [])
      .filter((photo) => photo.workspaceId === about.workspaceId && photo.trashedAt === undefined)
      .map(({ id }) => id);
    return ids.length === 0
      ? { problem: withProblem(pageOfList(query), problem) }
      : { ...about, ids };
  }
  const parts =
    form === undefined
      ? photos.listed(viewIn(query, account.id), filterOf(query))
      : selectedOfList(photos, query, context);
  const ids: string[] = [];
  for await (const part of parts) {
    ids.push(...part.map(({ id }) => id));
    if (ids.length > most) {
      return 'too many';
    }
  }
  return ids.length === 0 ? 'nothing' : { ...about, ids };
}
