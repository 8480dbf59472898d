import type { VNode } from 'preact';
import { LayerView } from '../ui/menu-layer.js';
import { viewFor, type PanelProps } from './view.js';
import { Footer } from './help.js';
import { ErrorNotice, Notice } from '../ui/notice.js';
import { Connected } from './connected.js';
import { Busy, Code, Numbers, Welcome } from '../features/sign-in/index.js';
import { UnsupportedHost } from './unsupported-host.js';

/** The whole panel: the view for its state, the outcome of the last press, the line with the help, an open menu. */
export function App({
  context,
  state,
  isUnsupported,
}: PanelProps & { readonly isUnsupported: boolean }): VNode {
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

function View({ context, state }: PanelProps): VNode {
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
  if (name === 'busy') {
    return <Busy {...{ context, state }} />;
  }
  const { sheet } = context.ui;
  return typeof sheet === 'function' ? (
    <div class="view fixed">{sheet({ context, state })}</div>
  ) : (
    <Welcome {...{ context, state }} />
  );
}
