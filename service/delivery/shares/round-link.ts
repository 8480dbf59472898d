import type { PhotoTable } from '../../library/index.js';
import type { RoundLink } from '../rounds/index.js';
import { titleOf } from './public-share-gallery.js';
import { linkForLog } from './share.js';
import { ShareContents } from './share-contents.js';
import type { ShareTable } from './share-table.js';

/** Finds what the mails about a decision need of a link that works. */
export function roundLinks(deps: {
  readonly shares: Pick<ShareTable, 'find'>;
  readonly photos: PhotoTable;
}): (shareId: string) => Promise<RoundLink | undefined> {
  const contents = new ShareContents(deps.photos);
  return async (shareId) => {
    const share = await deps.shares.find(shareId);
    return (
      share && {
        title: titleOf(share),
        creatorId: share.creatorId,
        log: linkForLog({ ...share, workspaceId: share.workspace.id }),
        studio: share.workspace.name,
        files: share.isSuspended ? { count: 0, first: [] } : await contents.files(share),
      }
    );
  };
}
