import type { VNode } from 'preact';
import { qrModules } from '../../ui/qr-code.js';

/** How many light modules readers need around the code (ISO/IEC 18004). */
const QUIET = 4;
/** The width that fits into the narrowest panel, in CSS pixels. */
const WIDEST_PX = 200;

/** A QR code of a text, in rows of plain blocks. @throws {RangeError} for a text that does not fit */
export function QrBox({ text }: { readonly text: string }): VNode {
  const rows = qrModules(text);
  const pixels = Math.floor(WIDEST_PX / (rows.length + 2 * QUIET));
  const px = (count: number): string => `${count * pixels}px`;
  return (
    // Square, with a light border in every theme.
    <div class="qr" style={{ width: px(rows.length + 2 * QUIET), padding: px(QUIET) }}>
      {rows.map((row, index) => (
        <div class="qr-row" key={index} style={{ height: px(1) }}>
          {runs(row).map(({ dark, length }, place) => (
            <div key={place} class={dark ? 'qr-dark' : ''} style={{ width: px(length) }} />
          ))}
        </div>
      ))}
    </div>
  );
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
