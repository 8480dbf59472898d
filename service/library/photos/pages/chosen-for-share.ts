import type { AuthenticatedRequest } from '../../../identity/index.js';
import { readQuery } from '../data/photo-query.js';
import type { PhotoTable } from '../data/photo-table.js';
import { pageOfList, withProblem } from './change-message.js';
import { isWholeList, MAX_SELECTED, selectedOfList } from './selection.js';

/**
 * The photos that a form is to share; none for a form or an address about something else.
 * @returns also where to redirect to, with a message, when the form of a list has no photo selected, or too many.
 */
export async function chosenForShare(
  photos: Pick<PhotoTable, 'listed'>,
  context: AuthenticatedRequest,
): Promise<{ readonly ids: readonly string[] } | { readonly problem: string }> {
  const { form, query: parameters, memberships } = context;
  const query = form && readQuery(parameters, memberships);
  if (query === undefined || !isWholeList(context)) {
    const ids = (form ?? parameters).getAll('photo');
    const isEmpty = form !== undefined && ids.length === 0 && !form.has('project');
    return query !== undefined && isEmpty
      ? { problem: withProblem(pageOfList(query), 'chooseSome') }
      : { ids };
  }
  const ids: string[] = [];
  for await (const part of selectedOfList(photos, query, context)) {
    ids.push(...part.map(({ id }) => id));
    if (ids.length > MAX_SELECTED) {
      return { problem: withProblem(pageOfList(query), 'selectedTooMany') };
    }
  }
  return ids.length === 0 ? { problem: withProblem(pageOfList(query), 'chooseSome') } : { ids };
}
