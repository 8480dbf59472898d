import type { SignInPanel } from '../sign-in/index.js';
import type { ServiceAccess } from '../../account/service-access.js';
import type { PanelPart, ViewContext, ViewProps } from '../../ui/view.js';
import type { ShareLinks } from './share-links.js';

export interface LinksPanel extends PanelPart {
  /** Whether links can be made. */
  readonly state: { readonly sharing: ServiceAccess };
  readonly context: {
    readonly actions: {
      readonly createShareLink: ShareLinks['create'];
      readonly shareLinks: ShareLinks['list'];
      readonly revokeShareLink: ShareLinks['revoke'];
    };
  };
}

/** The parts that the views of this feature need. */
export type LinksNeeds = LinksPanel & SignInPanel;
export type Props = ViewProps<LinksNeeds>;
export type Context = ViewContext<LinksNeeds>;
