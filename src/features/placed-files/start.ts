import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { PartSources } from '../../ui/view.js';
import type { OpenDocumentWatch } from '../documents/index.js';
import type { PlacedFilesPanel } from './panel.js';
import { PlacedStatus } from './placed-status.js';

export function startPlacedFiles(
  { clock, records, placedFiles }: Pick<Host, 'clock' | 'records' | 'placedFiles'>,
  connection: Pick<
    Connection,
    'requests' | 'capabilities' | 'api' | 'client' | 'account' | 'owner' | 'session'
  >,
  openDocument: Pick<OpenDocumentWatch, 'state'>,
): {
  readonly placed: { restore(records: ReadonlyMap<string, string>): void };
  readonly panel: PartSources<PlacedFilesPanel>;
} {
  const status = new PlacedStatus({
    ...connection,
    host: placedFiles,
    endpoint: `${connection.api}/photos/status`,
    origin: connection.client.origin.origin,
    clock,
    records,
  });
  openDocument.state.subscribe((open) => {
    status.setFront(open?.document ?? null);
  });
  connection.session.state.subscribe(({ kind }) => {
    if (kind === 'signed-in') {
      status.start();
    } else {
      status.stop();
    }
  });
  return {
    placed: status,
    panel: {
      state: { placedStatus: status.state },
      context: {
        actions: {
          checkPlaced: () => {
            status.check();
          },
        },
      },
    },
  };
}
