import type { VNode } from 'preact';
import type { PanelContext } from './view.js';
import { ErrorNotice } from '../ui/notice.js';

/** Shown when the app lacks required features: requests an update of the app. */
export function UnsupportedHost({
  context: { strings, host },
}: {
  readonly context: PanelContext;
}): VNode {
  const { appName: app, appVersion: version } = host.info;
  return (
    <div class="view">
      <ErrorNotice
        strings={strings}
        title={strings.tooOldTitle}
        error="CW-806"
        more={[strings.fill('tooOld', { app, version })]}
      />
    </div>
  );
}
