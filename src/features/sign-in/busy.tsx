import type { VNode } from 'preact';
import type { CodeRequested } from '../../oauth/device-flow/sign-in.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { Button, Buttons } from '../../ui/controls.js';
import type { Props } from './panel.js';

/** Shown while the plugin starts and while it requests a code, including the delay that the service may require. */
export function Busy({ context: { strings, signIn, on }, state }: Props): VNode {
  const requested = state.signIn.kind === 'requesting' ? state.signIn : null;
  return (
    <div class="view">
      <div class="title">{requested ? strings.requestingCode : strings.starting}</div>
      {requested && (
        <>
          <div class="text">{sentence(requested, state.now, strings)}</div>
          <Buttons>
            <Button on={on} focusOrder={3} label={strings.cancel} press={() => signIn.cancel()} />
          </Buttons>
        </>
      )}
    </div>
  );
}

function sentence({ until, isSlow }: CodeRequested, now: number, strings: Translations): string {
  if (until !== undefined) {
    return `${strings.errors['CW-303']} ${strings.tryingAgainIn(until - now)}`;
  }
  return isSlow ? strings.requestingLong : strings.requestingText;
}
