import type { PresetsPanel } from '../presets/index.js';
import type { DocumentsPanel } from '../documents/index.js';
import type { PanelPart, ViewProps } from '../../ui/view.js';
import type { OnSaveState, UploadOnSave } from './upload-on-save.js';

export interface OnSavePanel extends PanelPart {
  readonly state: { readonly onSave: OnSaveState };
  readonly context: {
    readonly actions: {
      readonly chooseOnSave: UploadOnSave['choose'];
      readonly switchOnSaveOff: UploadOnSave['switchOff'];
      readonly chooseOnSavePreset: UploadOnSave['choosePreset'];
      readonly retrySave: UploadOnSave['retry'];
      readonly dismissSave: UploadOnSave['dismiss'];
    };
  };
}

/** The parts that the views of this feature need. */
export type OnSaveNeeds = OnSavePanel & PresetsPanel & DocumentsPanel;
export type Props = ViewProps<OnSaveNeeds>;
