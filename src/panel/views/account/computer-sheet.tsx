import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { LONGEST_COMPUTER_NAME, type Computer } from '../../../account/this-computer.js';
import { Button, TextField } from '../../ui.js';
import type { ViewContext } from '../../view.js';
import { Labelled } from '../common/labelled.js';

/** Renames this computer. An empty field restores its first name. */
export function ComputerSheet({
  context: { strings, actions, change, on },
  computer,
}: {
  readonly context: ViewContext;
  readonly computer: Computer;
}): VNode {
  const [name, setName] = useState(computer.name);
  const close = (): void => {
    change({ sheet: null });
  };
  const save = async (): Promise<void> => {
    await actions.renameComputer(name);
    close();
  };
  return (
    <div class="sheet scroll">
      <div class="sheet-head">
        <div class="title">{strings.thisComputer}</div>
        <Button on={on} kind="quiet" label={strings.cancel} press={close} />
      </div>
      <Labelled label={strings.name}>
        <TextField
          name={strings.name}
          value={name}
          autofocus
          onText={(text) => {
            setName(text.slice(0, LONGEST_COMPUTER_NAME));
          }}
        />
      </Labelled>
      <div class="detail">{strings.computerText}</div>
      <Button on={on} kind="cta" wide focusOrder={3} label={strings.save} press={save} />
    </div>
  );
}
