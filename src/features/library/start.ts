import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { PartSources } from '../../ui/view.js';
import { Library } from './library.js';
import type { LibraryPanel } from './panel.js';

export function startLibrary(
  { clock, records }: Pick<Host, 'clock' | 'records'>,
  connection: Pick<
    Connection,
    'requests' | 'capabilities' | 'client' | 'account' | 'owner' | 'session'
  >,
): {
  readonly library: Pick<Library, 'restore'>;
  readonly panel: PartSources<LibraryPanel>;
} {
  const { session, client } = connection;
  const library = new Library({
    ...connection,
    baseUrl: client.baseUrl,
    path: '/api/v1/photos',
    records,
    clock,
  });
  session.state.subscribe(({ kind }) => {
    if (kind === 'signed-in') {
      void library.onSignedIn();
    } else {
      library.onSessionEnded();
    }
  });
  return {
    library,
    panel: {
      state: { library: library.state },
      context: {
        actions: {
          openLibrary: () => {
            library.open();
          },
          closeLibrary: () => {
            library.close();
          },
          changeLibrary: (change) => {
            library.change(change);
          },
          loadMoreFiles: () => {
            library.more();
          },
        },
      },
    },
  };
}
