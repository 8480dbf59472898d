import { SHARES } from '../../site/addresses/share-paths.js';
import type { ReplyLink } from '../replies/index.js';
import { titleOf } from './public-share-gallery.js';
import { ofPhoto } from './public-share-pages.js';
import type { ShareTable } from './share-table.js';

/** Finds what mails with replies need of a link that works and takes answers. */
export function replyLinks(
  shares: Pick<ShareTable, 'find' | 'tokenOf'>,
): (shareId: string) => Promise<ReplyLink | undefined> {
  return async (shareId) => {
    const share = await shares.find(shareId);
    if (share === undefined || share.isSuspended || !share.takesFeedback) {
      return undefined;
    }
    const token = shares.tokenOf(share.id);
    return {
      title: titleOf(share),
      studio: share.workspace.name,
      path: SHARES.shared(token),
      pathOf: (fileId) => ofPhoto(SHARES.photo(token), fileId),
    };
  };
}
