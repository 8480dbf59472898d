import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { Buttons, Button, Control, CopyButton, Icon, SelectableText } from '../ui/controls.js';
import { viewFor, type PanelState, type PanelContext, type PanelProps } from './view.js';

/** The line below every view: the photos in the browser, and the help that unfolds above it. */
export function Footer({ context, state }: PanelProps): VNode {
  const { strings, actions, signIn, ui, change, on } = context;
  const isSigningIn = ['code', 'number'].includes(viewFor(state));
  return (
    <div class="footer">
      {ui.help !== 'folded' && <Help {...{ context, state }} />}
      <div class="footer-line">
        {isSigningIn ? (
          <Control class="foot-link" on={on} press={() => signIn.cancel()}>
            <div>{strings.cancel}</div>
          </Control>
        ) : state.session.kind === 'signed-in' ? (
          <Control class="foot-link" on={on} press={() => actions.openPhotos()}>
            <div>{strings.photosInBrowser}</div>
            <Icon name="external" />
          </Control>
        ) : (
          <div />
        )}
        <Control
          class="foot-link help-toggle"
          on={on}
          press={() => {
            change({ help: ui.help === 'folded' ? 'open' : 'folded' });
          }}
        >
          <div>{strings.help}</div>
          <Icon name={ui.help === 'folded' ? 'right' : 'open'} />
        </Control>
      </div>
    </div>
  );
}

/** The codes of the errors that the panel shows now, the versions, and the diagnostics for support. */
function Help({ context, state }: PanelProps): VNode {
  const { strings, host, ui, change, on, clock } = context;
  const codes = codesOf(context, state);
  const isShown = ui.help === 'diagnostics';
  return (
    <div class="help">
      {codes.length > 0 && <div class="help-codes">{codes.join(', ')}</div>}
      <div class="detail">{strings.helpText}</div>
      <div class="detail">
        {strings.fill('versions', {
          plugin: host.info.pluginVersion,
          app: host.info.appName,
          version: host.info.appVersion,
        })}
      </div>
      <Buttons>
        <CopyButton
          {...{ on, clock }}
          kind="action"
          label={strings.copyDiagnostics}
          copied={strings.copied}
          copy={async () => {
            try {
              await host.copyText(context.diagnostics());
            } catch (error) {
              change({ help: 'diagnostics' });
              throw error;
            }
          }}
        />
        <Button
          on={on}
          kind="action"
          label={isShown ? strings.hideDiagnostics : strings.showDiagnostics}
          press={() => {
            change({ help: isShown ? 'open' : 'diagnostics' });
          }}
        />
      </Buttons>
      {isShown && <Diagnostics context={context} />}
    </div>
  );
}

function Diagnostics({ context }: { readonly context: PanelContext }): VNode {
  // As they were when they were opened: a text that changes could not be copied by hand.
  const text = useRef<string | null>(null);
  text.current ??= context.diagnostics();
  return <SelectableText text={text.current} />;
}

/** The codes to read out: those that the panel shows now. */
function codesOf({ ui }: PanelContext, state: PanelState): readonly string[] {
  const { session, signIn, queue, uploadState, photos } = state;
  const found = [
    ui.outcome?.error,
    signIn.kind === 'ended' ? signIn.error : null,
    signIn.kind === 'code' ? signIn.browserError : null,
    signIn.kind === 'code' ? signIn.trouble : null,
    session.kind === 'reconnect-needed' ? session.error : null,
    session.kind === 'signed-in' ? session.trouble : null,
    queue.kind === 'waiting' ? queue.error : null,
    uploadState.storageError,
    uploadState.documentError,
    ...uploadState.rejected.map(({ error }) => error),
  ].flatMap((error) => (error ? [error.code as string] : []));
  const failed = photos.flatMap(({ record: { failure } }) => (failure === null ? [] : [failure]));
  return [...new Set([...found, ...failed])].slice(0, 6);
}
