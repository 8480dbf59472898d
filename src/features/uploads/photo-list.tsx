import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { connectionStatus } from './connection-status.js';
import type { Props } from './panel.js';
import { WindowedRows } from '../../ui/window.js';
import { ROW_PX } from '../history/index.js';
import { PhotoRow } from './photo-row.js';

/** The order: photos that need the user, running uploads, waiting ones, uploaded ones. */
const ORDER = ['failed', 'uploading', 'waiting', 'uploaded'] as const;

/** The photos of the list. */
export function PhotoList({
  context,
  state,
  scroller,
  shownId,
}: Props & {
  readonly scroller: () => HTMLElement | null;
  /** The photo to scroll to; null for none. */
  readonly shownId: string | null;
}): VNode | null {
  const { photos } = state;
  const status = connectionStatus(state);
  // Without space for others, what the service has taken is still sent.
  const isSending = status === 'connected' || status === 'full';
  const items = useMemo(
    () => ORDER.flatMap((phase) => photos.filter((item) => item.phase === phase)),
    [photos],
  );
  if (items.length === 0) {
    return null;
  }
  const shown = shownId === null ? -1 : items.findIndex(({ record }) => record.id === shownId);
  return (
    <WindowedRows
      clock={context.clock}
      items={items}
      rowPx={ROW_PX}
      scroller={scroller}
      showIndex={shown < 0 ? null : shown}
      row={(item) => <PhotoRow key={item.record.id} {...{ context, state, item, isSending }} />}
    />
  );
}
