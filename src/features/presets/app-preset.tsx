import type { VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { AppPreset } from '../../host/document-export.js';
import { Button, Buttons, FileName } from '../../ui/controls.js';
import type { Context } from './panel.js';
import { Choice } from '../../ui/choice.js';

interface AppPresetProps {
  readonly context: Context;
  readonly appPreset: AppPreset | null;
  readonly choose: (appPreset: AppPreset | null) => void;
}

/** A PDF preset of InDesign, or the settings that InDesign used last. */
export function ListedPreset({ context, appPreset, choose }: AppPresetProps): VNode {
  const { strings, actions, on } = context;
  const [listed, setListed] = useState<readonly AppPreset[]>([]);
  useLayoutEffect(() => {
    let isShown = true;
    actions
      .appPresets()
      .then((found) => {
        if (isShown) {
          setListed(found);
        }
      })
      .catch(on.onUnexpectedError);
    return () => {
      isShown = false;
    };
  }, []);
  // One that InDesign no longer has is shown until another one is chosen.
  const others = listed.filter(({ id }) => id !== appPreset?.id);
  const presets = listed.length === others.length && appPreset ? [appPreset, ...listed] : listed;
  return (
    <Choice
      context={context}
      name={strings.pdfPreset}
      options={[
        { value: '', label: strings.lastPdfSettings },
        ...presets.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={appPreset?.id ?? ''}
      choose={(id) => {
        choose(presets.find((preset) => preset.id === id) ?? null);
      }}
    />
  );
}

/** The file of a preset of Premiere. */
export function PresetFile({
  context,
  appPreset,
  choose,
  isMissing,
}: AppPresetProps & {
  /** Whether it was needed. */
  readonly isMissing: boolean;
}): VNode {
  const { strings, actions, on } = context;
  const pick = async (): Promise<void> => {
    const picked = await actions.pickAppPreset();
    if (picked) {
      choose(picked);
    }
  };
  return (
    <div class="labelled">
      <div class="field-label">{strings.exportPreset}</div>
      {appPreset ? (
        <FileName name={appPreset.name} class="sheet-name" />
      ) : (
        <div class={isMissing ? 'field-problem' : 'text'}>{strings.exportPresetText}</div>
      )}
      <Buttons>
        <Button on={on} kind="action" label={strings.chooseFile} press={pick} />
      </Buttons>
    </div>
  );
}
