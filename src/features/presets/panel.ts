import type { ProjectRef } from '../../api/project.js';
import type { AppPreset, ExportOffer } from '../../host/document-export.js';
import type { PanelPart, ViewContext, ViewProps } from '../../ui/view.js';
import type { Presets, PresetsState } from './saved-presets.js';

export interface PresetsPanel extends PanelPart {
  readonly state: { readonly presets: PresetsState };
  readonly context: {
    /** The ways in which the app can export the open document. */
    readonly exportOffers: readonly ExportOffer[];
    readonly actions: {
      readonly choosePreset: Presets['choose'];
      readonly savePreset: Presets['save'];
      readonly duplicatePreset: Presets['duplicate'];
      readonly removePreset: Presets['remove'];
      /** The app's own presets, where an export takes one of a list. Never fails. */
      appPresets(): Promise<readonly AppPreset[]>;
      /** Lets the user pick a preset file of the app; null when cancelled. @throws {CwError} CW-802 */
      pickAppPreset(): Promise<AppPreset | null>;
    };
  };
}

/** The parts that the views of this feature need. */
export type PresetsNeeds = PresetsPanel & {
  readonly state: {
    readonly openDocument: { readonly document: { readonly name: string } } | null;
    readonly destinations: { readonly selected: ProjectRef | null };
  };
  readonly context: object;
};
export type Props = ViewProps<PresetsNeeds>;
export type Context = ViewContext<PresetsNeeds>;
