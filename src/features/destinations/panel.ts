import type { UploadItem } from '../queue/index.js';
import type { LinksNeeds } from '../links/index.js';
import type { ProjectRef } from '../../api/project.js';
import type { PanelPart, ViewContext, ViewProps, ViewState } from '../../ui/view.js';
import type { Destinations, DestinationState } from './destinations.js';

export interface DestinationsPanel extends PanelPart {
  readonly state: { readonly destinations: DestinationState };
  readonly context: {
    readonly actions: {
      readonly loadDestinations: Destinations['load'];
      readonly selectDestination: Destinations['select'];
      readonly createProject: Destinations['create'];
    };
  };
}

/** The parts that the views of this feature need. */
export type DestinationsNeeds = DestinationsPanel &
  LinksNeeds & {
    readonly state: { readonly photos: readonly UploadItem[] };
    readonly context: {
      readonly uploads: {
        setDestination(ids: readonly string[], project: ProjectRef | null): Promise<void>;
      };
      readonly actions: { setFolderProject(project: ProjectRef | null): Promise<void> };
    };
  };
export type Props = ViewProps<DestinationsNeeds>;
export type Context = ViewContext<DestinationsNeeds>;
export type State = ViewState<DestinationsNeeds>;
