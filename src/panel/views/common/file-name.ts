import { truncateMiddle } from '../../../util/truncate-middle.js';
import { block, textBlock } from '../../dom.js';

/** A file's name in one line. If there is no room for all of it, an ellipsis is shown before its last characters. */
export function fileName(className: string, name: string): HTMLElement {
  const { start, end } = truncateMiddle(name);
  return block(className, [textBlock('name-start', start), textBlock('name-end', end)]);
}
