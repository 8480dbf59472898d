import type { VNode } from 'preact';
import { CONTENT_SCOPE } from '../../account/service-access.js';
import { Button, Buttons, Control, FileName, Icon, ProgressBar } from '../../ui/controls.js';
import { ErrorNotice } from '../../ui/notice.js';
import { AllowNotice } from '../sign-in/index.js';
import type { Props } from './panel.js';

/** The file that is being placed, why one was not, or the permission that is missing. */
export function PlacingLine({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const { current, needsPermission, failure } = state.placing;
  if (current) {
    const { name, received, total } = current;
    return (
      <div class="progress-part">
        <div class="progress-line">
          <div class="progress-words">
            <FileName name={name} class="progress" />
            <div class="progress-detail">{strings.downloading}</div>
          </div>
          <Button
            on={on}
            kind="action"
            label={strings.cancel}
            press={() => {
              actions.cancelPlacing();
            }}
          />
        </div>
        {total > 0 && (
          <ProgressBar percent={Math.min(99, Math.floor((100 * received) / total))} class="whole" />
        )}
      </div>
    );
  }
  if (needsPermission) {
    return (
      <AllowNotice context={context} words={strings.placingPermission} scope={CONTENT_SCOPE} />
    );
  }
  if (!failure) {
    return null;
  }
  const { error, name, wanted } = failure;
  const title = strings.fill(wanted === 'place' ? 'notPlaced' : 'notOpened', { name });
  return (
    <ErrorNotice {...{ strings, error, title }}>
      <Buttons>
        {error.code === 'CW-706' && (
          <Button
            on={on}
            kind="action"
            label={strings.chooseFolder}
            press={() => actions.choosePlacingFolder()}
          />
        )}
        <Button
          on={on}
          kind="action"
          label={strings.dismiss}
          press={() => {
            actions.dismissPlacing();
          }}
        />
      </Buttons>
    </ErrorNotice>
  );
}

/** The folder that files go into, once there is one. */
export function PlacingFolder({ context, state }: Props): VNode | null {
  const { strings, actions, on } = context;
  const { folder } = state.placing;
  return folder === null ? null : (
    <Control class="choice" on={on} press={() => actions.choosePlacingFolder()}>
      <div class="to-word">{strings.placingFolder}</div>
      <div class="to-name">{folder}</div>
      <Icon name="down" />
    </Control>
  );
}
