import type { MenuItem } from '../host/host.js';
import type { Strings } from './strings/strings.js';
import type { Intents, PanelSources } from './view.js';

export interface MenuOptions {
  readonly strings: Strings;
  readonly intents: Intents;
  readonly sources: Pick<PanelSources, 'uploader'>;
  readonly onFault: (fault: unknown) => void;
}

/**
 * The panel's menu. Each entry returns at once, because the host gives its entry points 300 ms and says nothing about
 * what happens afterwards; while the work of an entry goes on, choosing it again does nothing.
 */
export function panelMenu({ strings, intents, sources, onFault }: MenuOptions): MenuItem[] {
  const item = (id: string, label: string, run: () => void | Promise<void>): MenuItem => {
    let busy = false;
    return {
      id,
      label,
      onSelect() {
        if (busy) return;
        busy = true;
        void Promise.resolve()
          .then(run)
          .catch(onFault)
          .then(() => {
            busy = false;
          });
      },
    };
  };
  return [
    item('add-photos', strings.addPhotos, () => intents.addPhotos()),
    item('pause-or-resume', strings.pauseOrResume, () => {
      if (sources.uploader.get().paused) intents.resume();
      else intents.pause();
    }),
    item('copy-diagnostics', strings.copyDiagnostics, () => intents.copyDiagnostics()),
    item('disconnect', strings.disconnect, () => intents.disconnect()),
  ];
}
