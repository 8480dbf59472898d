import type { PartSources } from '../../ui/view.js';
import type { HistoryPanel } from './panel.js';
import { UploadHistory, type UploadHistoryOptions } from './upload-history.js';

export function startHistory(options: UploadHistoryOptions): {
  readonly history: UploadHistory;
  readonly panel: PartSources<HistoryPanel>;
} {
  const history = new UploadHistory(options);
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
