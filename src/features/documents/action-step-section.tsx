import type { VNode } from 'preact';
import { presetName } from '../presets/index.js';
import { Button } from '../../ui/controls.js';
import type { Props } from './panel.js';

/** Records the upload of a document, as the panel is set now, as a step of an Action. */
export function ActionStepSection({ context, state }: Props): VNode | null {
  const { strings, actions, change, on } = context;
  const { presets, destinations } = state;
  const { chosen } = presets;
  if (!chosen) {
    return null;
  }
  const values = {
    preset: presetName(strings, chosen),
    project: destinations.selected?.name ?? strings.noProject,
  };
  return (
    <>
      <div class="sheet-title">{strings.actionStep}</div>
      <div class="text">{strings.fill('actionStepText', values)}</div>
      <Button
        on={on}
        wide
        label={strings.recordStep}
        press={async () => {
          await actions.recordStep(strings.fill('actionStepName', values), chosen);
          change({ outcome: { title: strings.stepRecorded, error: null } });
        }}
      />
    </>
  );
}
