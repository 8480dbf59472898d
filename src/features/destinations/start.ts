import type { PartSources } from '../../ui/view.js';
import { Destinations, type DestinationsOptions } from './destinations.js';
import type { DestinationsPanel } from './panel.js';

export function startDestinations(options: DestinationsOptions): {
  readonly destinations: Destinations;
  readonly panel: PartSources<DestinationsPanel>;
} {
  const destinations = new Destinations(options);
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
