import { box } from '../../dom.js';
import type { View, ViewContext } from '../../view.js';
import { notice } from '../common/notice.js';

/** Shown when the app lacks required features: requests an update of the app. */
export function unsupportedHostView({ strings, host }: ViewContext): View {
  const said = notice(strings);
  said.error(
    strings.tooOldTitle,
    'CW-806',
    strings.fill('tooOld', { app: host.info.appName, version: host.info.appVersion }),
  );
  return { root: box('view', [said.root]), update: () => undefined };
}
