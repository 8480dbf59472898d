import type { MenuItem } from '../host/host.js';
import { oneAtATime } from './one-at-a-time.js';
import type { Strings } from './strings/strings.js';
import type { Intents, PanelSources } from './view.js';

export interface MenuOptions {
  readonly strings: Strings;
  readonly intents: Intents;
  readonly sources: Pick<PanelSources, 'uploader'>;
  /** Called when the person wants to disconnect: the panel may ask a question first. */
  readonly disconnect: () => void | Promise<void>;
  /** Copies the diagnostics and says so in the panel, because a menu can only close. */
  readonly copyDiagnostics: () => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

/**
 * The panel's menu. Each entry returns at once, because the host allows its entry points 300 ms and does not say what
 * happens afterwards. While the work of an entry goes on, choosing it again does nothing.
 */
export function panelMenu({
  strings,
  intents,
  sources,
  disconnect,
  copyDiagnostics,
  onFault,
}: MenuOptions): MenuItem[] {
  const item = (id: string, label: string, run: () => void | Promise<void>): MenuItem => ({
    id,
    label,
    onSelect: oneAtATime(run, onFault),
  });
  const pauseLabel = (): string => (sources.uploader.get().paused ? strings.resume : strings.pause);
  return [
    item('add-photos', strings.addPhotos, () => intents.addPhotos()),
    {
      ...item('pause-or-resume', pauseLabel(), () => {
        if (sources.uploader.get().paused) {
          intents.resume();
        } else {
          intents.pause();
        }
      }),
      onRelabel: (use) => {
        let said = pauseLabel();
        sources.uploader.subscribe(() => {
          if (pauseLabel() === said) {
            return;
          }
          said = pauseLabel();
          use(said);
        });
      },
    },
    item('another-account', strings.anotherAccount, () => {
      intents.connect();
    }),
    item('copy-diagnostics', strings.copyDiagnostics, copyDiagnostics),
    item('disconnect', strings.disconnect, disconnect),
  ];
}
