import type { Connection } from '../../account/connection.js';
import type { PartSources } from '../../ui/view.js';
import type { LinksPanel } from './panel.js';
import { ShareLinks } from './share-links.js';

export function startLinks(
  connection: Pick<Connection, 'requests' | 'api' | 'account' | 'isOwnAddress'>,
): {
  readonly panel: PartSources<LinksPanel>;
} {
  const links = new ShareLinks({ ...connection, endpoint: `${connection.api}/shares` });
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
