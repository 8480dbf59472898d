import type { VNode } from 'preact';
import { LayerView } from './menu-layer.js';
import { viewFor, type ViewProps } from './view.js';
import { Footer } from './views/common/help.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { Connected } from './views/connected/connected.js';
import { Busy } from './views/sign-in/busy.js';
import { Code } from './views/sign-in/code.js';
import { Numbers } from './views/sign-in/numbers.js';
import { UnsupportedHost } from './views/sign-in/unsupported-host.js';
import { Welcome } from './views/sign-in/welcome.js';

/** The whole panel: the view for its state, the outcome of the last press, the line with the help, an open menu. */
export function App({
  context,
  state,
  isUnsupported,
}: ViewProps & { readonly isUnsupported: boolean }): VNode {
  const { strings, ui, change } = context;
  return (
    <div class={ui.layer ? 'panel covered' : 'panel'} lang={strings.language}>
      {isUnsupported ? <UnsupportedHost context={context} /> : <View {...{ context, state }} />}
      {ui.outcome && (
        <div class="outcome">
          {ui.outcome.error ? (
            <ErrorNotice {...{ strings }} title={ui.outcome.title} error={ui.outcome.error} />
          ) : (
            <Notice title={ui.outcome.title} />
          )}
        </div>
      )}
      <Footer {...{ context, state }} />
      {ui.layer && (
        <LayerView
          layer={ui.layer}
          state={state}
          close={() => {
            change({ layer: null });
          }}
        />
      )}
    </div>
  );
}

function View({ context, state }: ViewProps): VNode {
  const { signIn } = state;
  const name = viewFor(state);
  if (name === 'code' && signIn.kind === 'code') {
    return <Code key={signIn.userCode} {...{ context, state }} code={signIn} />;
  }
  if (name === 'number' && signIn.kind === 'code' && signIn.numbers) {
    return <Numbers {...{ context, state }} code={signIn} numbers={signIn.numbers} />;
  }
  if (name === 'connected') {
    return <Connected {...{ context, state }} />;
  }
  return name === 'busy' ? <Busy {...{ context, state }} /> : <Welcome {...{ context, state }} />;
}
