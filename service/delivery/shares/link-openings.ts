import { LINK_EVENTS } from './events.js';
import type { Audit } from '../../identity/index.js';
import { isAutomaticFetch } from '../../kernel/http/request/automatic-fetch.js';
import type { LinkRequest } from './link-permission.js';
import { RecentViews } from './recent-views.js';
import type { ShareCookie } from './share-cookie.js';
import type { ShareTable } from './share-table.js';
import { linkForLog } from './share.js';

export interface LinkOpeningsDeps {
  readonly shares: Pick<ShareTable, 'markOpened'>;
  readonly cookie: ShareCookie;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** Notes when links are opened, and counts their views and downloads. */
export class LinkOpenings {
  private readonly recent: RecentViews;

  constructor(private readonly deps: LinkOpeningsDeps) {
    this.recent = new RecentViews(deps.now);
  }

  /**
   * Notes that the link was opened, and counts it. A HEAD request does not count: it returns no photo. Nor does a fetch
   * that nobody has chosen.
   */
  async record({ context, share }: LinkRequest, kind: 'view' | 'download'): Promise<void> {
    const { shares, audit, cookie } = this.deps;
    const { request, method, clientAddress } = context;
    if (method === 'HEAD' || isAutomaticFetch(request.headers)) {
      return;
    }
    const isGuest = !cookie.isCreator(request, share);
    const { range, 'user-agent': userAgent } = request.headers;
    // The rest of a download that was interrupted is not another one.
    const isWhole = range === undefined || range.startsWith('bytes=0-');
    const views =
      isGuest && kind === 'view' && this.recent.isNew(share.id, clientAddress, userAgent) ? 1 : 0;
    const downloads = isGuest && kind === 'download' && isWhole ? 1 : 0;
    await shares.markOpened(share, { views, downloads }, (transaction) =>
      audit(
        context.response,
        LINK_EVENTS.opened,
        linkForLog({ ...share, workspaceId: share.workspace.id }),
        transaction,
      ),
    );
  }
}
