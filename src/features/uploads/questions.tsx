import type { VNode } from 'preact';
import { Button, Buttons } from '../../ui/controls.js';
import type { Props, State } from './panel.js';
import { Question } from '../../ui/notice.js';

/** The questions before photos can be uploaded: one at a time, the most urgent first. */
export function OpenQuestion({ context, state }: Props): VNode | null {
  const { question, previous, orphans } = state.uploadState;
  if (question) {
    return <Ownership {...{ context, state }} photos={question.photos} />;
  }
  if (previous.length > 0) {
    return <Previous {...{ context, state }} />;
  }
  return orphans > 0 ? <Orphans {...{ context, state }} /> : null;
}

/** About photos of an earlier session that may belong to another account. */
function Ownership({
  context: { strings, uploads, on },
  state: { account },
  photos,
}: Props & { readonly photos: number }): VNode {
  const title = account
    ? strings.count('questionFor', photos, {
        account: account.name,
        workspace: account.workspace.name,
      })
    : strings.questionTitle;
  return (
    <Question title={title} sentences={[strings.count('questionText', photos)]}>
      <Buttons>
        <Button
          on={on}
          kind="cta"
          label={strings.uploadFound}
          press={() => uploads.answerQuestion(true)}
        />
        <Button on={on} label={strings.remove} press={() => uploads.answerQuestion(false)} />
      </Buttons>
    </Question>
  );
}

/** About photos that have the names of earlier uploads. */
function Previous({ context: { strings, uploads, on }, state }: Props): VNode {
  const { previous } = state.uploadState;
  return (
    <Question
      title={strings.previousTitle}
      sentences={[strings.count('previousText', previous.length)]}
    >
      <Buttons>
        <Button
          on={on}
          kind="cta"
          label={strings.replace}
          press={() => uploads.duplicates.answer('replace')}
        />
        <Button
          on={on}
          label={strings.keepBoth}
          press={() => uploads.duplicates.answer('keep-both')}
        />
      </Buttons>
    </Question>
  );
}

/** About photos that have a copy, but were not on the list. */
function Orphans({ context: { strings, uploads, on }, state }: Props): VNode {
  const { orphans } = state.uploadState;
  return (
    <Question
      title={strings.count('foundCount', orphans)}
      sentences={[strings.count('foundText', orphans)]}
    >
      <Buttons>
        <Button
          on={on}
          kind="cta"
          label={strings.uploadFound}
          press={() => uploads.answerOrphans(true)}
        />
        <Button on={on} label={strings.remove} press={() => uploads.answerOrphans(false)} />
      </Buttons>
    </Question>
  );
}

/** Confirms Disconnect while photos are not uploaded. */
export function DisconnectQuestion({ context, state }: Props): VNode {
  const { strings, actions, change, on } = context;
  return (
    <Question
      title={strings.disconnectTitle}
      sentences={[strings.count('notArrivedCount', pendingOf(state)), strings.disconnectText]}
    >
      <Buttons>
        <Button
          on={on}
          label={strings.disconnect}
          press={async () => {
            await actions.disconnect();
            change({ isDisconnecting: false });
          }}
        />
        <Button
          on={on}
          label={strings.cancel}
          press={() => {
            change({ isDisconnecting: false });
          }}
        />
      </Buttons>
    </Question>
  );
}

/** How many photos are not uploaded, including those that are still being added. */
export function pendingOf({
  summary: { waiting, uploading, failed },
  uploadState: { adding },
}: Pick<State, 'summary' | 'uploadState'>): number {
  return waiting + uploading + failed + (adding ? Math.max(0, adding.total - adding.done) : 0);
}
