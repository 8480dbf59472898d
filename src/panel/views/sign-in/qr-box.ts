import { box, element } from '../../dom.js';
import { qrModules } from '../../qr-code.js';

/** How many light modules readers need around the code (ISO/IEC 18004). */
const QUIET = 4;
/** The width that fits into the narrowest panel, in CSS pixels. */
const WIDEST_PX = 200;

/** A QR code of a text, in rows of plain blocks. @throws {RangeError} for a text that does not fit */
export function qrBox(text: string): HTMLElement {
  const rows = qrModules(text);
  const pixels = Math.floor(WIDEST_PX / (rows.length + 2 * QUIET));
  const px = (count: number): string => `${count * pixels}px`;
  const drawn = rows.map((row) =>
    element(
      'div',
      { class: 'qr-row', attributes: { style: `height: ${px(1)}` } },
      runs(row).map(({ dark, length }) =>
        element('div', {
          class: dark ? 'qr-dark' : '',
          attributes: { style: `width: ${px(length)}` },
        }),
      ),
    ),
  );
  // Square, with a light border in every theme.
  const frame = box('qr', drawn);
  frame.setAttribute('style', `width: ${px(rows.length + 2 * QUIET)}; padding: ${px(QUIET)}`);
  return frame;
}

/** Joins neighbouring modules of one colour. */
function runs(row: readonly boolean[]): readonly { dark: boolean; length: number }[] {
  const found: { dark: boolean; length: number }[] = [];
  for (const dark of row) {
    const last = found[found.length - 1];
    if (last?.dark === dark) {
      last.length += 1;
    } else {
      found.push({ dark, length: 1 });
    }
  }
  return found;
}
