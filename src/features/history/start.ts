import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { PartSources } from '../../ui/view.js';
import type { HistoryPanel } from './panel.js';
import { UploadHistory } from './upload-history.js';

export function startHistory(
  { records, clock }: Pick<Host, 'records' | 'clock'>,
  { owner, isOwnAddress }: Pick<Connection, 'owner' | 'isOwnAddress'>,
): {
  readonly history: UploadHistory;
  readonly panel: PartSources<HistoryPanel>;
} {
  const history = new UploadHistory({ records, now: () => clock.now(), owner, isOwnAddress });
  return {
    history,
    panel: {
      state: {
        delivered: {
          get: () => history.photos(),
          subscribe: (listener) => history.changes.subscribe(listener),
        },
      },
      context: {},
    },
  };
}
