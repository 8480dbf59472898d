import { truncateMiddle } from '../../../util/truncate-middle.js';
import { box, textBox } from '../../dom.js';

/** A file's name in one line. If there is no room for all of it, an ellipsis is shown before its last characters. */
export function fileName(className: string, name: string): HTMLElement {
  const { start, end } = truncateMiddle(name);
  return box(className, [textBox('name-start', start), textBox('name-end', end)]);
}
