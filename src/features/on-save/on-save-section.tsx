import type { VNode } from 'preact';
import type { MissedSave, OnSaveMode, OnSaveState } from './upload-on-save.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { shortTime } from '../../ui/local-time.js';
import { Choice } from '../../ui/choice.js';
import { presetName } from '../presets/index.js';
import { Button, Buttons, Control, FileName } from '../../ui/controls.js';
import type { Props } from './panel.js';

const MODES = [
  ['off', 'onSaveOff'],
  ['document', 'onSaveDocument'],
  ['all', 'onSaveAll'],
] as const;

/** Upload on save: for which documents it is on, how they are exported, and what has become of the last save. */
export function OnSaveSection({ context, state }: Props): VNode {
  const { strings, actions, on } = context;
  const { onSave, presets, openDocument, now } = state;
  const documentId = openDocument?.document.documentId ?? null;
  const mode = modeOf(onSave, documentId);
  // Without an open document there is none to switch it on for.
  const modes = MODES.filter(([id]) => id !== 'document' || documentId !== null);
  const others = onSave.documents.filter((id) => id !== documentId).length;
  return (
    <>
      <div class="sheet-title">{strings.onSave}</div>
      <div class="text">{strings.onSaveText}</div>
      <Choice
        context={context}
        options={modes.map(([id, key]) => ({ value: id, label: strings[key] }))}
        value={mode}
        choose={(id) => actions.chooseOnSave(id, documentId)}
      />
      {onSave.preset && (
        <Choice
          context={context}
          name={strings.preset}
          options={presets.list.map((preset) => ({
            value: preset.id,
            label: presetName(strings, preset),
          }))}
          value={onSave.preset.id}
          choose={(id) => actions.chooseOnSavePreset(id)}
        />
      )}
      {others > 0 && !onSave.all && (
        <>
          <div class="detail">{strings.count('onSaveOthers', others)}</div>
          <Buttons>
            <Button
              on={on}
              kind="action"
              label={strings.onSaveOffForAll}
              press={() => actions.switchOnSaveOff()}
            />
          </Buttons>
        </>
      )}
      {onSave.last && <div class="detail on-save-last">{lastText(strings, onSave.last, now)}</div>}
      {onSave.missed.map((missed) => (
        <Missed key={missed.documentId} {...{ context, state, missed }} />
      ))}
    </>
  );
}

/** Below the document in front, while it is uploaded on save, and while saved documents were missed. Opens the window. */
export function OnSaveLine({ context, state }: Props): VNode | null {
  const { strings, change, on } = context;
  const { onSave, openDocument } = state;
  const isOn = modeOf(onSave, openDocument?.document.documentId ?? null) !== 'off';
  const missed = onSave.missed.length;
  if (!onSave.isAvailable || (!isOn && missed === 0)) {
    return null;
  }
  return (
    <Control
      class={missed > 0 ? 'on-save-line missed' : 'on-save-line'}
      on={on}
      press={() => {
        change({ sheet: 'automatic' });
      }}
    >
      <div>{missed > 0 ? strings.count('onSaveMissed', missed) : strings.onSaveIsOn}</div>
    </Control>
  );
}

/** For the document in front. Without one, only `all` can be on. */
function modeOf({ all, documents }: OnSaveState, documentId: string | null): OnSaveMode {
  if (all) {
    return 'all';
  }
  return documentId !== null && documents.includes(documentId) ? 'document' : 'off';
}

function Missed({
  context: { strings, actions, on },
  state: { now },
  missed: { documentId, name, since, error },
}: Props & { readonly missed: MissedSave }): VNode {
  return (
    <div class="share-link missed-save">
      <FileName name={name} class="sheet-name" />
      <div class="detail">
        {error
          ? `${strings.errors[error.code]} (${error.code})`
          : strings.fill('onSaveClosed', { time: shortTime(strings, since, now) })}
      </div>
      <Buttons>
        <Button
          on={on}
          kind="action"
          label={strings.tryAgain}
          press={() => actions.retrySave(documentId)}
        />
        <Button
          on={on}
          kind="action"
          label={strings.dismiss}
          press={() => actions.dismissSave(documentId)}
        />
      </Buttons>
    </div>
  );
}

function lastText(
  strings: Translations,
  { name, at, kind }: NonNullable<OnSaveState['last']>,
  now: number,
): string {
  switch (kind) {
    case 'exporting':
      return strings.fill('onSaveExporting', { name });
    case 'waiting':
      return strings.fill('onSaveWaiting', { name });
    case 'queued':
      return strings.fill('onSaveQueued', { name, time: shortTime(strings, at, now) });
    case 'stopped':
      return strings.fill('onSaveStopped', { name });
  }
}
