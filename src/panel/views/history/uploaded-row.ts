import type { UploadedPhoto } from '../../../uploads/history/upload-history.js';
import { box, buttonRow, setShown, textBox, type Button } from '../../dom.js';
import { localTime } from '../../local-time.js';
import type { ViewContext } from '../../view.js';
import { copyButton } from '../common/copy-button.js';
import { fileName } from '../common/file-name.js';
import { statusIcon } from '../common/status-icon.js';

export interface UploadedRow {
  readonly root: HTMLElement;
  /** @param isOpen  whether its buttons are unfolded */
  update(isOpen: boolean): void;
}

/** The row of an uploaded photo: when, where, and whether it was checked. All collapsed rows have the same height. */
export function uploadedRow(
  context: ViewContext,
  { name, size, at, workspace, checked, pageUrl }: UploadedPhoto,
  onToggle: () => void,
): UploadedRow {
  const { strings } = context;
  const mark = statusIcon();
  mark.show(checked ? 'success' : null);
  const state = textBox(
    checked ? 'photo-state uploaded' : 'photo-state',
    checked ? strings.checked : strings.photoUploaded,
  );
  const where = workspace === null ? [] : [fileName('delivered-where', workspace)];
  const options = pageUrl === null ? null : pageOptions(context, pageUrl, onToggle);
  return {
    root: box('photo', [
      box('photo-line', [fileName('photo-name', name), textBox('photo-size', strings.size(size))]),
      box('photo-line delivered-second', [textBox('delivered-time', localTime(at)), ...where]),
      box('photo-line photo-second', [
        box('photo-standing', [mark.root, state]),
        ...(options ? [options.toggle.root] : []),
      ]),
      ...(options ? [options.actions] : []),
    ]),
    update(isOpen) {
      if (options) {
        options.toggle.setLabel(isOpen ? strings.close : strings.options);
        setShown(options.actions, isOpen);
      }
    },
  };
}

/** The buttons for a photo that the service shows in a browser. */
function pageOptions(
  context: ViewContext,
  address: string,
  onToggle: () => void,
): { readonly toggle: Button; readonly actions: HTMLElement } {
  const { strings, actions, host, button } = context;
  return {
    toggle: button('quiet', strings.options, onToggle),
    actions: buttonRow([
      button('action', strings.showPhoto, () => actions.openPage(address)),
      copyButton(context, 'action', strings.copyLink, () => host.copyText(address)),
    ]),
  };
}
