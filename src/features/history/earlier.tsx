import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { UploadedPhoto } from './upload-history.js';
import { comparable } from '../../util/comparable.js';
import { receiptText } from './list-text.js';
import { Button, Buttons, CopyButton, SelectableText, TextField } from '../../ui/controls.js';
import type { Context, Props } from './panel.js';
import { Disclosure } from '../../ui/disclosure.js';
import { WindowedRows } from '../../ui/window.js';
import { EarlierRow, ROW_PX } from './photo-row.js';
import { canShare } from '../links/index.js';

interface EarlierProps extends Props {
  readonly scroller: () => HTMLElement | null;
}

/** The photos that were uploaded earlier and are no longer on the list. They can be searched, copied and cleared. */
export function EarlierUploads({ context, state, scroller }: EarlierProps): VNode | null {
  const { strings, on } = context;
  const count = state.earlier.length;
  return count === 0 ? null : (
    <Disclosure on={on} class="earlier" label={strings.count('earlierUploads', count)}>
      {() => <Content {...{ context, state, scroller }} />}
    </Disclosure>
  );
}

function Content({ context, state, scroller }: EarlierProps): VNode {
  const { strings, uploads, clock, change, on } = context;
  const [typed, setTyped] = useState('');
  const found = search(state.earlier, typed);
  return (
    <>
      <div class="earlier-tools">
        <TextField class="search" name={strings.searchName} value={typed} onText={setTyped} />
        <ListTools {...{ context, photos: found }}>
          <>
            {canShare(state) && (
              <Button
                on={on}
                kind="action"
                label={strings.select}
                press={() => {
                  change({ selection: [] });
                }}
              />
            )}
            <Button
              on={on}
              kind="action"
              label={strings.clearList}
              press={() => uploads.clearHistory()}
            />
          </>
        </ListTools>
      </div>
      {found.length === 0 ? (
        <div class="detail">{strings.noneFound}</div>
      ) : (
        <WindowedRows
          clock={clock}
          items={found}
          rowPx={ROW_PX}
          scroller={scroller}
          row={(photo) => <EarlierRow key={photo.id} {...{ context, state, photo }} />}
        />
      )}
    </>
  );
}

/** Copies the list. A text that the clipboard refuses is shown, to be copied by hand. */
function ListTools({
  context: { strings, host, clock, on },
  photos,
  children,
}: {
  readonly context: Context;
  readonly photos: readonly UploadedPhoto[];
  readonly children: VNode;
}): VNode {
  const [refused, setRefused] = useState<string | null>(null);
  return (
    <>
      <Buttons>
        <CopyButton
          {...{ on, clock }}
          kind="action"
          label={strings.copyList}
          copied={strings.copied}
          copy={async () => {
            const receipt = receiptText(strings, photos, clock.now());
            setRefused(null);
            try {
              await host.copyText(receipt);
            } catch (error) {
              setRefused(receipt);
              throw error;
            }
          }}
        />
        {children}
      </Buttons>
      {refused !== null && <SelectableText text={refused} />}
    </>
  );
}

/** The photos whose names contain the search text, in upper or lower case; all of them for an empty text. */
function search(photos: readonly UploadedPhoto[], typed: string): readonly UploadedPhoto[] {
  const wanted = comparable(typed.trim());
  return wanted === '' ? photos : photos.filter(({ name }) => comparable(name).includes(wanted));
}
