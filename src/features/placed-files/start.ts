import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { PartSources } from '../../ui/view.js';
import type { Translations } from '../../ui/i18n/translations.js';
import type { ReadableObservable } from '../../util/observable.js';
import type { OpenDocumentWatch } from '../documents/index.js';
import type { UploadHistory } from '../history/index.js';
import type { Placing } from '../placing/index.js';
import { LinkedFiles } from './linked-files.js';
import type { PlacedFilesPanel } from './panel.js';
import { PlacedStatus } from './placed-status.js';
import { PlacedUpdates } from './placed-updates.js';
import { SentPlacements } from './sent-placements.js';

/** Sends which files are placed in uploaded documents. */
export function startPlacements(
  {
    clock,
    records,
    placedFiles,
    folders,
  }: Pick<Host, 'clock' | 'records' | 'placedFiles' | 'folders'>,
  connection: Pick<Connection, 'requests' | 'capabilities' | 'api' | 'client' | 'session'>,
  history: Pick<UploadHistory, 'changes' | 'photos'>,
): {
  readonly placements: Pick<SentPlacements, 'restore' | 'of' | 'note'>;
  readonly linked: LinkedFiles;
} {
  const linked = new LinkedFiles({ folders, records, clock });
  const placements = new SentPlacements({
    ...connection,
    host: placedFiles,
    linked,
    endpoint: `${connection.api}/uploads`,
    origin: connection.client.origin.origin,
    records,
    history,
  });
  connection.session.state.subscribe(({ kind }) => {
    if (kind === 'signed-in') {
      placements.start();
    } else {
      placements.stop();
    }
  });
  return { placements, linked };
}

export function startPlacedFiles(
  {
    clock,
    records,
    placedFiles,
    placedFileUpdates,
  }: Pick<Host, 'clock' | 'records' | 'placedFiles' | 'placedFileUpdates'>,
  connection: Pick<
    Connection,
    'requests' | 'capabilities' | 'api' | 'client' | 'account' | 'owner' | 'session'
  >,
  linked: LinkedFiles,
  openDocument: Pick<OpenDocumentWatch, 'state'>,
  placing: Pick<Placing, 'download' | 'cancel' | 'placed'>,
  translations: Pick<ReadableObservable<Translations>, 'get'>,
): {
  readonly placed: { restore(records: ReadonlyMap<string, string>): void };
  readonly panel: PartSources<PlacedFilesPanel>;
} {
  const status = new PlacedStatus({
    ...connection,
    linked,
    host: placedFiles,
    endpoint: `${connection.api}/photos/status`,
    origin: connection.client.origin.origin,
    clock,
    records,
  });
  const updates = new PlacedUpdates({
    host: placedFileUpdates,
    placing,
    front: () => openDocument.state.get()?.document.key ?? null,
    stepName: (count) => translations.get().count('updateFiles', count),
    onDone: () => {
      status.check();
    },
  });
  placing.placed.subscribe(() => {
    status.check();
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
    placed: {
      restore: (stored) => {
        linked.restore(stored);
        status.restore(stored);
      },
    },
    panel: {
      state: {
        placedStatus: status.state,
        placedUpdates: updates.state,
        linkedFiles: linked.state,
      },
      context: {
        actions: {
          checkPlaced: () => {
            status.check();
          },
          updatePlaced: (wanted) => updates.update(wanted),
          cancelPlacedUpdate: () => {
            updates.cancel();
          },
          recogniseLinked: async (isOtherFolder) => {
            await linked.read(status.files(), isOtherFolder);
            status.check();
          },
          cancelRecognising: () => {
            linked.cancel();
          },
          dismissPlacedUpdate: () => {
            updates.dismiss();
          },
        },
      },
    },
  };
}
