import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { BatchEntry } from './document-batch.js';
import { type Preset, presetName } from '../presets/index.js';
import { Button, SheetHead } from '../../ui/controls.js';
import type { Context, Props } from './panel.js';
import { Choice } from '../../ui/choice.js';
import { Tick } from '../../ui/tick.js';
import { Destination } from '../destinations/index.js';

const WORDS = {
  documents: { title: 'documentsTitle', upload: 'uploadDocuments' },
  artboards: { title: 'artboardsTitle', upload: 'uploadArtboards' },
} as const;

/** Opens the sheet that uploads several documents, or artboards of one. */
export function openBatchSheet(
  { change }: Pick<Context, 'change'>,
  of: keyof typeof WORDS,
  entries: readonly BatchEntry[],
): void {
  change({ sheet: (props) => <BatchSheet {...props} {...{ of, entries }} /> });
}

/** Several documents, or artboards of one, that are uploaded with one press. All are ticked at first. */
function BatchSheet({
  context,
  state,
  of,
  entries,
}: Props & {
  readonly of: keyof typeof WORDS;
  readonly entries: readonly BatchEntry[];
}): VNode {
  const { strings, actions, change, on } = context;
  const [left, setLeft] = useState<readonly BatchEntry[]>([]);
  const ticked = entries.filter((entry) => !left.includes(entry));
  const { list, chosen } = state.presets;
  const upload = (preset: Preset): void => {
    change({ sheet: null });
    // Not awaited: the panel shows how far they are, and offers Cancel.
    void actions
      .uploadDocuments(ticked, preset, strings.count(WORDS[of].upload, ticked.length))
      .catch(on.onUnexpectedError);
  };
  return (
    <div class="sheet scroll">
      <SheetHead
        on={on}
        title={strings[WORDS[of].title]}
        label={strings.cancel}
        press={() => {
          change({ sheet: null });
        }}
      />
      {chosen && (
        <Choice
          context={context}
          name={strings.preset}
          options={list.map((preset) => ({
            value: preset.id,
            label: presetName(strings, preset),
          }))}
          value={chosen.id}
          choose={(id) => {
            void actions.choosePreset(id).catch(on.onUnexpectedError);
          }}
        />
      )}
      <Destination {...{ context, state }} isAlone />
      <div class="ticks">
        {entries.map((entry) => (
          <Tick
            key={`${entry.target.documentKey ?? ''} ${entry.target.partId ?? ''}`}
            {...{ strings, on }}
            label={entry.name}
            isTicked={ticked.includes(entry)}
            change={(isTicked) => {
              setLeft(isTicked ? left.filter((one) => one !== entry) : [...left, entry]);
            }}
          />
        ))}
      </div>
      {chosen && ticked.length > 0 && (
        <Button
          on={on}
          kind="cta"
          wide
          label={strings.count(WORDS[of].upload, ticked.length)}
          press={() => {
            upload(chosen);
          }}
        />
      )}
    </div>
  );
}
