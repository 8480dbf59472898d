import type { PartSources } from '../../ui/view.js';
import type { LinksPanel } from './panel.js';
import { ShareLinks, type ShareLinksOptions } from './share-links.js';

export function startLinks(options: ShareLinksOptions): {
  readonly panel: PartSources<LinksPanel>;
} {
  const links = new ShareLinks(options);
  return {
    panel: {
      state: { sharing: links.access },
      context: {
        actions: {
          createShareLink: (target, terms) => links.create(target, terms),
          shareLinks: (target) => links.list(target),
          revokeShareLink: (id) => links.revoke(id),
        },
      },
    },
  };
}
