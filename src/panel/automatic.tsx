import type { VNode } from 'preact';
import { SheetHead } from '../ui/controls.js';
import type { PanelContext, PanelProps, PanelState } from './view.js';
import { ActionStepSection } from '../features/documents/index.js';
import { FolderSection } from '../features/folder/index.js';
import { OnSaveSection } from '../features/on-save/index.js';

/** Whether the app has anything that uploads without a press. */
export function hasAutomaticUploads({
  context,
  state,
}: {
  readonly context: Pick<PanelContext, 'recordsSteps'>;
  readonly state: Pick<PanelState, 'onSave' | 'folder'>;
}): boolean {
  return state.onSave.isAvailable || state.folder !== null || context.recordsSteps;
}

/** What is uploaded without a press. It takes the place of the list, and shows only what the app can do. */
export function Automatic({ context, state }: PanelProps): VNode {
  const { strings, change, on } = context;
  return (
    <div class="sheet scroll automatic">
      <SheetHead
        on={on}
        title={strings.automatic}
        label={strings.done}
        press={() => {
          change({ sheet: null });
        }}
      />
      {state.onSave.isAvailable && <OnSaveSection {...{ context, state }} />}
      {state.folder && <FolderSection {...{ context, state }} folder={state.folder} />}
      {context.recordsSteps && <ActionStepSection {...{ context, state }} />}
    </div>
  );
}
