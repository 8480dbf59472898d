import type { CommandEntry, MountPanel } from '../host/panel-entry.js';
import type { Host } from '../host/host.js';
import type { Clock } from '../util/clock.js';
import { panelMenu } from './menu.js';
import { Panel, type PanelOptions } from './panel.js';

/** The panel waits this long for its texts, in milliseconds. */
const MAX_READING_MS = 500;

export interface MountOptions extends Omit<PanelOptions, 'clock' | 'host'> {
  readonly host: Host;
  /** Settles when the texts are final; null when they are. May never settle. */
  readonly readingTranslations: Promise<void> | null;
  /** The commands in the app's menu. */
  readonly entries: readonly CommandEntry[];
}

/** Gives the host the panel, its menu and the commands. */
export function mountPanel(options: MountOptions, mount: MountPanel): void {
  const { host, panel: parts, isUnsupported, readingTranslations, entries } = options;
  const { clock } = host;
  const panel = new Panel({ ...options, clock });
  const menu = panelMenu({
    ...options,
    ...parts.context,
    uploadState: parts.state.uploadState,
    addPhotos: () => parts.context.actions.addPhotos(),
    disconnect: () => panel.disconnect(),
    copyDiagnostics: () => panel.copyDiagnostics(),
    onUnexpectedError: (error) => {
      panel.reportError(error);
    },
  });
  mount(
    {
      menu: isUnsupported ? [] : menu,
      show: (root) => {
        // What the shell shows already is in the language of the app.
        afterReading(readingTranslations, clock, () => {
          panel.show(root);
        });
      },
    },
    entries,
  );
}

/** Calls `then` when the texts have been read, or in English when that takes too long; at once if there is nothing to read. */
function afterReading(reading: Promise<void> | null, clock: Clock, then: () => void): void {
  if (reading === null) {
    then();
    return;
  }
  let isOver = false;
  const finish = (): void => {
    if (!isOver) {
      isOver = true;
      stop();
      then();
    }
  };
  const stop = clock.startTimer(MAX_READING_MS, finish);
  void reading.then(finish);
}
