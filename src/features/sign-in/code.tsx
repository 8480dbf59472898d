import type { VNode } from 'preact';
import type { CodeShown } from '../../oauth/device-flow/sign-in.js';
import { fitsQrCode } from '../../ui/qr-code.js';
import { Button, Buttons, CopyButton } from '../../ui/controls.js';
import type { Context, Props } from './panel.js';
import { Disclosure } from '../../ui/disclosure.js';
import { ErrorNotice } from '../../ui/notice.js';
import { QrBox } from './qr-box.js';

/** A code with more characters is written smaller, so that it fits into one line of the narrowest panel. */
const LARGE_UP_TO = 10;

/** Shows the user_code, large, what to do with it, and how long it is valid. */
export function Code({ context, state, code }: Props & { readonly code: CodeShown }): VNode {
  const { strings, host, signIn, clock, on } = context;
  const { userCode } = code;
  return (
    <div class="view">
      <div class="title">{strings.codeTitle}</div>
      <div class={userCode.length > LARGE_UP_TO ? 'user-code long' : 'user-code'} id="user-code">
        {userCode}
      </div>
      <div class="code-buttons">
        <Button
          on={on}
          kind="cta"
          wide
          focusOrder={3}
          label={strings.openBrowser}
          press={() => signIn.openBrowser()}
        />
        <CopyButton
          {...{ on, clock }}
          label={strings.copyCode}
          copied={strings.copied}
          copy={() => host.copyText(userCode)}
        />
      </div>
      {code.browserError && (
        <ErrorNotice {...{ strings }} title={strings.browserTitle} error={code.browserError} />
      )}
      <div class="steps">
        {[strings.codeStepOpen, strings.codeStepSignIn, strings.codeStepAllow].map(
          (step, index) => (
            <div class="step" key={index}>
              <div class="step-number">{String(index + 1)}</div>
              <div class="step-text">{step}</div>
            </div>
          ),
        )}
      </div>
      <Disclosure
        // The sentence about the browser leads to the address in here.
        key={String(code.browserError !== null)}
        isOpenAtFirst={code.browserError !== null}
        on={on}
        label={strings.troubleOpening}
        class="trouble"
      >
        {() => <OtherWays {...{ context, code }} />}
      </Disclosure>
      <Waiting {...{ context, state, code }} />
    </div>
  );
}

/**
 * The texts that change without a press, and are therefore below all controls: whether the service can be reached, how
 * long the code is valid, and who stays connected until then.
 */
function Waiting({ context, state, code }: Props & { readonly code: CodeShown }): VNode {
  const { strings, signIn, on } = context;
  const isAsked = code.check === 'asked';
  return (
    <div class="waiting">
      {code.check !== 'later' && (
        <Buttons>
          <Button on={on} kind="action" label={strings.checkNow} press={() => signIn.checkNow()} />
        </Buttons>
      )}
      {code.trouble ? (
        <ErrorNotice
          strings={strings}
          mark="warning"
          title={code.trouble.code === 'CW-301' ? strings.offlineTitle : strings.troubleTitle}
          error={code.trouble}
          more={[isAsked ? strings.checkAsked : strings.codeKeepsTrying]}
        />
      ) : (
        <div class="detail awaiting">
          {isAsked ? strings.checkAsked : strings.waitingForApproval}
        </div>
      )}
      <div class="detail">{strings.codeTimeLeft(code.expiresAt - state.now)}</div>
      {state.device && (
        <div class="detail">{strings.fill('computerIs', { name: state.device.name })}</div>
      )}
      {state.isForAnother && state.account && (
        <div class="detail">{strings.fill('stayConnected', { name: state.account.name })}</div>
      )}
    </div>
  );
}

/** Other ways to the page, when the browser did not open it: the address, a QR code, the code spelled out, a new code. */
function OtherWays({
  context,
  code: { userCode, verificationUri, addressToOpen },
}: {
  readonly context: Context;
  readonly code: CodeShown;
}): VNode {
  const { strings, host, signIn, clock, on } = context;
  return (
    <>
      <div class="detail">{strings.codeAddress}</div>
      <div class="address" id="verification-uri">
        {segments(verificationUri).map((piece, index) => (
          <div class="piece" key={index}>
            {piece}
          </div>
        ))}
      </div>
      <Buttons>
        <CopyButton
          {...{ on, clock }}
          kind="action"
          label={strings.copyAddress}
          copied={strings.copied}
          copy={() => host.copyText(verificationUri)}
        />
        <Button on={on} kind="action" label={strings.getNewCode} press={() => signIn.startOver()} />
      </Buttons>
      {
        // Worth scanning only when the address contains the code.
        addressToOpen !== verificationUri && fitsQrCode(addressToOpen) && (
          <Disclosure on={on} label={strings.showQr}>
            {() => (
              <>
                <div class="detail">{strings.codeQr}</div>
                <div class="qr-place">
                  <QrBox text={addressToOpen} />
                </div>
              </>
            )}
          </Disclosure>
        )
      }
      <Disclosure on={on} label={strings.spellOut}>
        {() => (
          <div class="spelled">
            {strings.spell(userCode).map((line, index) => (
              <div class="spelled-line" key={index}>
                {line}
              </div>
            ))}
          </div>
        )}
      </Disclosure>
    </>
  );
}

/** Splits an address into blocks, so that lines can break between them: the host breaks text at spaces alone. */
function segments(address: string): readonly string[] {
  return (address.match(/[^/.?&=-]*[/.?&=-]*/g) ?? []).filter((piece) => piece !== '');
}
