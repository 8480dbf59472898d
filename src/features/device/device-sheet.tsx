import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { MAX_DEVICE_NAME_LENGTH, type DeviceIdentity } from './device.js';
import { Button, SheetHead, TextField } from '../../ui/controls.js';
import type { Context } from './panel.js';
import { Field } from '../../ui/field.js';

/** Opens the sheet that renames this computer. */
export function openDeviceSheet({ change }: Pick<Context, 'change'>): void {
  change({
    sheet: ({ context, state }) =>
      state.device ? <DeviceSheet context={context} device={state.device} /> : <div />,
  });
}

/** Renames this computer. An empty field restores its first name. */
function DeviceSheet({
  context: { strings, actions, change, on },
  device,
}: {
  readonly context: Context;
  readonly device: DeviceIdentity;
}): VNode {
  const [name, setName] = useState(device.name);
  const close = (): void => {
    change({ sheet: null });
  };
  const save = async (): Promise<void> => {
    await actions.renameDevice(name);
    close();
  };
  return (
    <div class="sheet scroll">
      <SheetHead on={on} title={strings.thisComputer} label={strings.cancel} press={close} />
      <Field label={strings.name}>
        <TextField
          name={strings.name}
          value={name}
          autofocus
          onText={(text) => {
            setName(text.slice(0, MAX_DEVICE_NAME_LENGTH));
          }}
        />
      </Field>
      <div class="detail">{strings.computerText}</div>
      <Button on={on} kind="cta" wide focusOrder={3} label={strings.save} press={save} />
    </div>
  );
}
