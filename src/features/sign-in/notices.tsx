import type { VNode } from 'preact';
import { Button, Buttons } from '../../ui/controls.js';
import { ErrorNotice, Notice } from '../../ui/notice.js';
import type { Props } from './panel.js';
import { endedTitle, needsNewCode } from './welcome.js';

/** Shows why a sign-in for another account or a further permission failed. The session is unchanged. */
export function AccountSwitchNotice({
  context: { strings, signIn, on },
  state,
}: Props): VNode | null {
  const error = state.isForAnother && state.signIn.kind === 'ended' ? state.signIn.error : null;
  return error === null ? null : (
    <ErrorNotice {...{ strings, error }} title={endedTitle(error.code, strings)}>
      <Buttons>
        <Button
          on={on}
          kind="action"
          label={needsNewCode(error) ? strings.getNewCode : strings.tryAgain}
          press={() => signIn.startOver()}
        />
        <Button on={on} kind="action" label={strings.dismiss} press={() => signIn.cancel()} />
      </Buttons>
    </ErrorNotice>
  );
}

/** Confirms a sign-in until there are photos. */
export function ApprovedNotice({ context: { strings }, state }: Props): VNode | null {
  return state.justApproved ? (
    <Notice mark="success" title={strings.approvedTitle} sentences={[strings.approvedText]} />
  ) : null;
}
