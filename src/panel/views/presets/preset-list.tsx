import type { VNode } from 'preact';
import { presetDetail, presetName } from '../../../features/presets/preset-name.js';
import { Button, Buttons, Control, Icon } from '../../../ui/controls.js';
import type { ViewProps } from '../../view.js';

/** All presets. A press opens one. */
export function PresetList({ context, state }: ViewProps): VNode {
  const { strings, change, on } = context;
  const { list, chosen } = state.presets;
  return (
    <div class="sheet scroll">
      <div class="sheet-head">
        <div class="title">{strings.presets}</div>
        <Button
          on={on}
          kind="quiet"
          label={strings.done}
          press={() => {
            change({ sheet: null });
          }}
        />
      </div>
      <div class="sheet-rows">
        {list.map((preset) => (
          <Control
            key={preset.id}
            class="sheet-row"
            on={on}
            press={() => {
              change({ sheet: { for: 'preset', preset, isNew: false } });
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
              change({ sheet: { for: 'preset', preset: { ...chosen, name: '' }, isNew: true } });
            }}
          />
        </Buttons>
      )}
    </div>
  );
}
