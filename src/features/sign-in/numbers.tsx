import type { VNode } from 'preact';
import { NO_NUMBER, type CodeShown, type NumberChoice } from '../../oauth/device-flow/sign-in.js';
import { Button, Control } from '../../ui/controls.js';
import type { Context, Props } from './panel.js';
import { ErrorNotice } from '../../ui/notice.js';

/**
 * The question which number the browser shows. So someone who only lures a user to the page, or only has the code, cannot
 * connect.
 */
export function Numbers({
  context,
  state,
  code,
  numbers,
}: Props & { readonly code: CodeShown; readonly numbers: NumberChoice }): VNode {
  const { strings, signIn, on } = context;
  const isChosen = numbers.chosen !== null;
  return (
    <div class="view">
      <div class="title">{strings.numberTitle}</div>
      <div class="text">{isChosen ? strings.numberSent : strings.numberText}</div>
      <div class="numbers">
        {numbers.choices.map((number) => (
          <NumberButton key={number} {...{ context, number, numbers }} />
        ))}
      </div>
      {!isChosen && (
        <>
          <Button
            on={on}
            wide
            label={strings.noneOfThese}
            press={() => signIn.chooseNumber(NO_NUMBER)}
          />
          <div class="detail numbers-none">{strings.numberNone}</div>
        </>
      )}
      <div class="waiting">
        {code.trouble && (
          <ErrorNotice
            strings={strings}
            mark="warning"
            title={code.trouble.code === 'CW-301' ? strings.offlineTitle : strings.troubleTitle}
            error={code.trouble}
            more={[strings.codeKeepsTrying]}
          />
        )}
        <div class="detail">{strings.codeTimeLeft(code.expiresAt - state.now)}</div>
        {state.isForAnother && state.account && (
          <div class="detail">{strings.fill('stayConnected', { name: state.account.name })}</div>
        )}
      </div>
    </div>
  );
}

/** After the choice, the numbers stay in sight and can no longer be pressed. */
function NumberButton({
  context: { signIn, on },
  number,
  numbers: { choices, chosen },
}: {
  readonly context: Context;
  readonly number: string;
  readonly numbers: NumberChoice;
}): VNode {
  if (chosen !== null) {
    return (
      <div class={chosen === number ? 'number number-chosen' : 'number number-left'}>{number}</div>
    );
  }
  return (
    <Control
      class="number"
      on={on}
      {...(number === choices[0] && { focusOrder: 3 as const })}
      press={() => signIn.chooseNumber(number)}
    >
      <div>{number}</div>
    </Control>
  );
}
