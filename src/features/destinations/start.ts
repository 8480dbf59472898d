import type { Host } from '../../host/host.js';
import type { Connection } from '../../account/connection.js';
import type { PartSources } from '../../ui/view.js';
import { Destinations, type DestinationsOptions } from './destinations.js';
import type { DestinationsPanel } from './panel.js';

export function startDestinations(
  { records }: Pick<Host, 'records'>,
  connection: Pick<
    Connection,
    'session' | 'requests' | 'capabilities' | 'api' | 'account' | 'owner'
  >,
  photoStore: DestinationsOptions['photoStore'],
): {
  readonly destinations: Destinations;
  readonly panel: PartSources<DestinationsPanel>;
} {
  const destinations = new Destinations({
    ...connection,
    endpoint: `${connection.api}/projects`,
    records,
    photoStore,
  });
  connection.session.state.subscribe(({ kind }) => {
    if (kind === 'signed-in') {
      destinations.onSignedIn();
    } else if (kind === 'signed-out') {
      destinations.onSignedOut();
    }
  });
  return {
    destinations,
    panel: {
      state: { destinations: destinations.state },
      context: {
        actions: {
          loadDestinations: () => destinations.load(),
          selectDestination: (project) => destinations.select(project),
          createProject: (name) => destinations.create(name),
        },
      },
    },
  };
}
