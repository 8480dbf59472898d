import type { DeliveredPhoto } from '../../uploads/delivery-history.js';
import { block, buttonRow, setShown, textBlock } from '../dom.js';
import { localTime } from '../local-time.js';
import type { ViewContext } from '../view.js';
import { copyButton } from './copy-button.js';
import { fileName } from './file-name.js';
import { sign } from './sign.js';

export interface DeliveredRow {
  readonly root: HTMLElement;
  /** @param isOpen  whether what can be done about it is unfolded */
  update(isOpen: boolean): void;
}

/** A photo that has arrived: when, where, and whether it was checked. All rows are equally high. */
export function deliveredRow(
  context: ViewContext,
  { name, size, at, workspace, checked, pageUrl }: DeliveredPhoto,
  onToggle: () => void,
): DeliveredRow {
  const { strings, intents, button } = context;
  const mark = sign();
  mark.show(checked ? 'good' : null);
  const state = textBlock(
    `photo-state ${checked ? 'uploaded' : ''}`.trim(),
    checked ? strings.checked : strings.photoUploaded,
  );
  const toggle = button('quiet', strings.options, onToggle);
  setShown(toggle.root, pageUrl !== null);
  const address = pageUrl ?? '';
  const actions = buttonRow([
    button('action', strings.showPhoto, () => intents.openPage(address)),
    copyButton(context, 'action', strings.copyLink, () => intents.copyText(address)),
  ]);
  const where = workspace === null ? [] : [fileName('delivered-where', workspace)];
  return {
    root: block('photo', [
      block('photo-line', [
        fileName('photo-name', name),
        textBlock('photo-size', strings.size(size)),
      ]),
      block('photo-line delivered-second', [textBlock('delivered-time', localTime(at)), ...where]),
      block('photo-line photo-second', [block('photo-standing', [mark.root, state]), toggle.root]),
      actions,
    ]),
    update(isOpen) {
      toggle.setLabel(isOpen ? strings.close : strings.options);
      setShown(actions, isOpen);
    },
  };
}
