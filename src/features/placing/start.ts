import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { Translations } from '../../ui/i18n/translations.js';
import type { PartSources } from '../../ui/view.js';
import type { ReadableObservable } from '../../util/observable.js';
import type { OpenDocumentWatch } from '../documents/index.js';
import { FileDownload } from './file-download.js';
import type { PlacingPanel } from './panel.js';
import { Placing } from './placing.js';

export function startPlacing(
  host: Pick<Host, 'placedFiles' | 'fileOpener' | 'folders' | 'downloads' | 'records' | 'clock'>,
  { requests, api, client, account }: Pick<Connection, 'requests' | 'api' | 'client' | 'account'>,
  openDocument: Pick<OpenDocumentWatch, 'state'>,
  translations: Pick<ReadableObservable<Translations>, 'get'>,
): {
  readonly placing: Pick<Placing, 'restore' | 'download' | 'cancel' | 'placed'>;
  readonly panel: PartSources<PlacingPanel>;
} {
  const { downloads, clock, records } = host;
  const { origin } = client.origin;
  const placing = new Placing({
    host,
    files: downloads && new FileDownload({ downloads, requests, api, origin, clock }),
    records,
    account,
    front: () => openDocument.state.get()?.document ?? null,
    stepName: (name) => translations.get().fill('placeStep', { name }),
    openName: (name) => translations.get().fill('openStep', { name }),
  });
  openDocument.state.subscribe(() => {
    placing.showFolder();
  });
  return {
    placing,
    panel: {
      state: { placing: placing.state },
      context: {
        actions: {
          placeFile: (file, size) => placing.placeFile(file, size),
          openFile: (file) => placing.openFile(file),
          cancelPlacing: () => {
            placing.cancel();
          },
          choosePlacingFolder: async () => {
            await placing.chooseFolder();
          },
          dismissPlacing: () => {
            placing.dismiss();
          },
        },
      },
    },
  };
}
