import { block } from '../dom.js';
import type { View, ViewContext } from '../view.js';
import { notice } from './notice.js';

/** The app lacks what the plugin is built on: all there is to say is that it must be updated. */
export function tooOldView({ strings, host }: ViewContext): View {
  const said = notice(strings);
  said.error(
    strings.tooOldTitle,
    'CW-806',
    strings.fill('tooOld', { app: host.appName, version: host.appVersion }),
  );
  return { root: block('view', [said.root]), update: () => undefined };
}
