import type { VisitHandler } from '../visits/visit.js';
import { newShare, type NewShareParts } from './new-share.js';
import { SHARES } from './paths.js';
import { shareList } from './share-list.js';

/** The pages on which people make and revoke links, by their paths in the route table. */
export function sharePages(parts: NewShareParts): ReadonlyMap<string, VisitHandler> {
  return new Map<string, VisitHandler>([
    [SHARES.root, shareList(parts)],
    [SHARES.new, newShare(parts)],
  ]);
}
