import type { VNode } from 'preact';
import { presetDetail, presetName } from './preset-name.js';
import { Button, Buttons, Control, Icon, SheetHead } from '../../ui/controls.js';
import type { Context, Props } from './panel.js';
import type { Preset } from './preset.js';
import { PresetEditor } from './preset-editor.js';

/** Opens the list of presets. */
export function openPresets({ change }: Pick<Context, 'change'>): void {
  change({ sheet: (props) => <PresetList {...props} /> });
}

function openPresetEditor({ change }: Context, preset: Preset, isNew: boolean): void {
  change({
    sheet: ({ context, state }) => (
      // Another key for another preset: its fields start again.
      <PresetEditor
        key={`${preset.id} ${isNew}`}
        {...{ context, state, preset, isNew }}
        close={() => {
          openPresets(context);
        }}
        edit={(other) => {
          openPresetEditor(context, other, true);
        }}
      />
    ),
  });
}

/** All presets. A press opens one. */
function PresetList({ context, state }: Props): VNode {
  const { strings, change, on } = context;
  const { list, chosen } = state.presets;
  return (
    <div class="sheet scroll">
      <SheetHead
        on={on}
        title={strings.presets}
        label={strings.done}
        press={() => {
          change({ sheet: null });
        }}
      />
      <div class="sheet-rows">
        {list.map((preset) => (
          <Control
            key={preset.id}
            class="sheet-row"
            on={on}
            press={() => {
              openPresetEditor(context, preset, false);
            }}
          >
            <div class="sheet-row-text">
              <div class="sheet-row-name">{presetName(strings, preset)}</div>
              <div class="sheet-row-detail">{presetDetail(strings, preset)}</div>
            </div>
            <Icon name="right" />
          </Control>
        ))}
      </div>
      {chosen && (
        <Buttons>
          <Button
            on={on}
            kind="action"
            label={strings.newPreset}
            press={() => {
              openPresetEditor(context, { ...chosen, name: '' }, true);
            }}
          />
        </Buttons>
      )}
    </div>
  );
}
