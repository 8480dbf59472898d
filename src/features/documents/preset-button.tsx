import type { VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { ExportableDocument } from '../../host/document-export.js';
import { type Preset, openPresets, presetDetail, presetName } from '../presets/index.js';
import { Menu, type MenuEntry } from '../../ui/menu-layer.js';
import { Control, Icon } from '../../ui/controls.js';
import { openBatchSheet } from './batch-sheet.js';
import type { Context, Props, State } from './panel.js';

/** The name of the chosen preset. It opens the menu of all presets and of what can be uploaded at once. */
export function PresetButton({
  context,
  state,
  preset,
}: Props & { readonly preset: Preset }): VNode {
  return (
    <Control
      class="format"
      on={context.on}
      openMenu={(anchor) => {
        const content = (now: State): VNode => <PresetMenu {...{ context, state: now }} />;
        context.change({ layer: { anchor, width: 'content', content } });
      }}
    >
      <div class="format-name">{presetName(context.strings, state.presets.chosen ?? preset)}</div>
      <Icon name="down" />
    </Control>
  );
}

function PresetMenu({ context, state }: Props): VNode {
  const { strings, actions, on } = context;
  const { list, chosen } = state.presets;
  const [documents, setDocuments] = useState<readonly ExportableDocument[]>([]);
  useLayoutEffect(() => {
    let isShown = true;
    actions
      .openDocuments()
      .then((found) => {
        if (isShown) {
          setDocuments(found);
        }
      })
      .catch(on.onUnexpectedError);
    return () => {
      isShown = false;
    };
  }, []);
  const entries: readonly MenuEntry[] = [
    ...list.map((preset) => ({
      label: presetName(strings, preset),
      detail: presetDetail(strings, preset),
      isChosen: preset.id === chosen?.id,
      press: () => actions.choosePreset(preset.id),
    })),
    {
      label: strings.editPresets,
      isApart: true,
      press: () => {
        openPresets(context);
      },
    },
    // Last: they appear a moment later, and move nothing that can be pressed.
    ...batchEntries(context, documents),
  ];
  return <Menu {...{ context, entries }} />;
}

function batchEntries(
  context: Context,
  documents: readonly ExportableDocument[],
): readonly MenuEntry[] {
  const { strings } = context;
  const front = documents.find(({ isFront }) => isFront);
  const parts = front?.parts ?? [];
  return [
    ...(documents.length > 1
      ? [
          {
            label: strings.allDocuments,
            isApart: true,
            press: () => {
              const entries = documents.map(({ key, name }) => ({
                target: { documentKey: key, partId: null },
                name,
              }));
              openBatchSheet(context, 'documents', entries);
            },
          },
        ]
      : []),
    ...(front && parts.length > 0
      ? [
          {
            label: strings.artboards,
            isApart: documents.length <= 1,
            press: () => {
              const entries = parts.map(({ id, name }) => ({
                target: { documentKey: front.key, partId: id },
                name,
              }));
              openBatchSheet(context, 'artboards', entries);
            },
          },
        ]
      : []),
  ];
}
