import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../ui/controls.js';
import type { Context } from './panel.js';

/** How many rows are drawn at first, and with each press: a row has pictures. */
const ROWS = 50;

/** Rows, which are drawn part by part. */
export function LongList<Item>({
  context: { strings, on },
  items,
  draw,
}: {
  readonly context: Pick<Context, 'strings' | 'on'>;
  readonly items: readonly Item[];
  readonly draw: (item: Item) => VNode | null;
}): VNode {
  const [most, setMost] = useState(ROWS);
  return (
    <>
      {items.slice(0, most).map(draw)}
      {items.length > most && (
        <Button
          on={on}
          kind="quiet"
          label={strings.showMore}
          press={() => {
            setMost(most + ROWS);
          }}
        />
      )}
    </>
  );
}
