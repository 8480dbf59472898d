import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type {
  AppPreset,
  CopyMetadata,
  ExportChoice,
  ExportSettings,
  PdfSettings,
} from '../../host/document-export.js';
import {
  dayOf,
  nameFromPattern,
  patternProblem,
  PLACEHOLDERS,
  type PatternProblem,
} from './name-pattern.js';
import {
  BEST_QUALITY,
  LONG_EDGE,
  MAX_LINE_LENGTH,
  MAX_NAME_LENGTH,
  PLAIN_PDF,
  plainSettings,
  type Preset,
} from './preset.js';
import { isPageRange } from '../../host/page-range.js';
import { PdfChoices } from './pdf-choices.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { bitsOf, formatName, presetName } from './preset-name.js';
import { Button, Buttons, Control, FileName, SheetHead, TextField } from '../../ui/controls.js';
import type { Props } from './panel.js';
import { Choice } from '../../ui/choice.js';
import { Field } from '../../ui/field.js';
import { Tick } from '../../ui/tick.js';
import { ListedPreset, PresetFile } from './app-preset.js';

/** Qualities of a JPEG that are offered, the best first. Below 5, users see the loss. */
const QUALITIES = [12, 11, 10, 9, 8, 7, 6, 5];

/** As the systems list them, in one piece. */
const FORBIDDEN = '\\ / : * ? " < > |'.replace(/ /g, '\u00a0');

/** The texts of the metadata, in the order of the fields. */
const LINES = [
  'creator',
  'copyright',
  'contact',
] as const satisfies readonly (keyof CopyMetadata)[];

interface EditorProps extends Props {
  readonly preset: Preset;
  /** Shows the list again. */
  readonly close: () => void;
  /** Begins a new preset with the values of this one. */
  readonly edit: (preset: Preset) => void;
}

/** Changes a preset, or makes one. Nothing is stored before Save. */
export function PresetEditor({
  context,
  state,
  preset,
  isNew,
  close,
  edit,
}: EditorProps & { readonly isNew: boolean }): VNode {
  const { strings, actions, exportOffers, on } = context;
  const givenName = presetName(strings, preset);
  const [name, setName] = useState(givenName);
  const [pattern, setPattern] = useState(preset.namePattern);
  const [settings, setSettings] = useState(preset.settings);
  const [longEdge, setLongEdge] = useState(String(preset.settings.longEdge ?? ''));
  const [isApprovedOnly, setApprovedOnly] = useState(preset.approvedOnly === true);
  /** Whether Save was pressed: what is missing is shown only then. */
  const [isTried, setTried] = useState(false);

  const offer = exportOffers.find(({ format }) => format === settings.format);
  const can = (choice: ExportChoice): boolean => offer?.choices?.includes(choice) ?? false;
  const set = (more: Partial<ExportSettings>): void => {
    setSettings({ ...settings, ...more });
  };
  const setMetadata = (more: Partial<CopyMetadata>): void => {
    set({ metadata: { ...settings.metadata, ...more } });
  };
  const setAppPreset = (appPreset: AppPreset | null): void => {
    set({ appPreset });
  };
  const pixels = pixelsOf(longEdge);
  const problem = patternProblem(pattern);
  const trimmed = name.trim();
  const isPresetMissing = offer?.appPresets === 'file' && !settings.appPreset;
  const pages = settings.pdf?.pages;
  const isRangeWrong = can('pdf') && pages?.kind === 'range' && !isPageRange(pages.text);
  const isReady =
    trimmed !== '' &&
    problem === null &&
    !isRangeWrong &&
    !isPresetMissing &&
    (pixels !== 'wrong' || !can('longEdge'));

  const save = async (): Promise<void> => {
    if (!isReady) {
      setTried(true);
      return;
    }
    const { id, kind } = preset;
    const changed: Preset = {
      id,
      kind,
      ...(can('approved') && isApprovedOnly && { approvedOnly: true }),
      name: preset.name === null && trimmed === givenName ? null : trimmed,
      namePattern: pattern.trim(),
      settings: withoutOthers(settings, pixels, can, offer?.appPresets !== undefined),
    };
    if (isNew) {
      await actions.duplicatePreset(changed, trimmed);
    } else {
      await actions.savePreset(changed);
    }
    close();
  };

  return (
    <div class="sheet scroll">
      <SheetHead
        on={on}
        title={isNew ? strings.newPreset : strings.preset}
        label={strings.cancel}
        press={close}
      />
      <Field label={strings.name}>
        <TextField
          name={strings.name}
          value={name}
          onText={(text) => {
            setName(text.slice(0, MAX_NAME_LENGTH));
          }}
        />
      </Field>
      {isTried && trimmed === '' && <div class="field-problem">{strings.nameMissing}</div>}
      {exportOffers.length > 1 && (
        <Choice
          context={context}
          name={strings.format}
          options={exportOffers.map(({ format }) => ({
            value: format,
            label: formatName(strings, format),
          }))}
          value={settings.format}
          choose={(format) => {
            // A preset of the app is for one format.
            set({ format, appPreset: null });
          }}
        />
      )}
      {offer?.appPresets === 'list' && (
        <ListedPreset {...{ context, appPreset: settings.appPreset, choose: setAppPreset }} />
      )}
      {offer?.appPresets === 'file' && (
        <PresetFile
          {...{ context, appPreset: settings.appPreset, choose: setAppPreset }}
          isMissing={isTried && isPresetMissing}
        />
      )}
      {can('pdf') && (
        <PdfChoices
          {...{ context, isTried }}
          pdf={settings.pdf ?? PLAIN_PDF}
          change={(pdf) => {
            set({ pdf });
          }}
        />
      )}
      {can('inOut') && (
        <Choice
          context={context}
          name={strings.videoRange}
          options={[
            { value: 'whole', label: strings.wholeSequence },
            { value: 'inOut', label: strings.inToOut },
          ]}
          value={settings.inOut === true ? 'inOut' : 'whole'}
          choose={(range) => {
            const whole = { ...settings };
            delete whole.inOut;
            setSettings(range === 'inOut' ? { ...whole, inOut: true } : whole);
          }}
        />
      )}
      {can('quality') && (
        <Choice
          context={context}
          name={strings.quality}
          options={QUALITIES.map((quality) => ({
            value: quality,
            label: quality === BEST_QUALITY ? strings.bestQuality : strings.number(quality),
          }))}
          value={settings.quality}
          choose={(quality) => {
            set({ quality });
          }}
        />
      )}
      {can('profile') && (
        <Choice
          context={context}
          name={strings.colorProfile}
          options={[
            { value: 'srgb', label: 'sRGB' },
            { value: 'document', label: strings.documentProfile },
          ]}
          value={settings.profile}
          choose={(profile) => {
            set({ profile });
          }}
        />
      )}
      {can('bitDepth') && (
        <Choice
          context={context}
          name={strings.bitDepth}
          options={([8, 16] as const).map((bits) => ({
            value: bits,
            label: bitsOf(strings, bits),
          }))}
          value={settings.bitDepth}
          choose={(bitDepth) => {
            set({ bitDepth });
          }}
        />
      )}
      {can('longEdge') && (
        <Field label={strings.longEdge}>
          <TextField name={strings.unchanged} value={longEdge} onText={setLongEdge} />
        </Field>
      )}
      {can('longEdge') && pixels === 'wrong' && (
        <div class="field-problem">
          {strings.fill('longEdgeProblem', {
            least: strings.number(LONG_EDGE.least),
            most: strings.number(LONG_EDGE.most),
          })}
        </div>
      )}
      <Field label={strings.fileName}>
        <TextField name={strings.fileName} value={pattern} onText={setPattern} />
      </Field>
      <div class="chips">
        {PLACEHOLDERS.map((placeholder) => (
          <Control
            key={placeholder}
            class="chip"
            on={on}
            press={() => {
              setPattern(`${pattern}{${placeholder}}`);
            }}
          >
            <div>{`{${placeholder}}`}</div>
          </Control>
        ))}
      </div>
      {problem === null ? (
        <div class="name-example">
          <div class="to-word">{strings.example}</div>
          <FileName
            class="name-shown"
            name={exampleName(pattern, settings.format, trimmed, state)}
          />
        </div>
      ) : (
        <div class="field-problem">{problemText(strings, problem)}</div>
      )}
      {can('approved') && (
        <Tick
          {...{ strings, on }}
          label={strings.onlyClientApproved}
          isTicked={isApprovedOnly}
          change={setApprovedOnly}
        />
      )}
      {can('metadata') && (
        <>
          <div class="sheet-title">{strings.metadata}</div>
          <Tick
            {...{ strings, on }}
            label={strings.removeLocation}
            isTicked={settings.metadata.removeLocation}
            change={(removeLocation) => {
              setMetadata({ removeLocation });
            }}
          />
          {LINES.map((line) => (
            <Field key={line} label={strings[line]}>
              <TextField
                name={strings.unchanged}
                value={settings.metadata[line]}
                onText={(text) => {
                  setMetadata({ [line]: text.slice(0, MAX_LINE_LENGTH) });
                }}
              />
            </Field>
          ))}
        </>
      )}
      <Button on={on} kind="cta" wide label={strings.save} press={save} />
      {!isNew && <OtherActions {...{ context, state, preset, close, edit }} />}
    </div>
  );
}

/** Duplicate; Delete, or Reset for a built-in preset that was changed. */
function OtherActions({ context, state, preset, close, edit }: EditorProps): VNode {
  const { strings, actions, on } = context;
  const [isAsking, setAsking] = useState(false);
  const isBuiltIn = state.presets.builtIn.includes(preset.id);
  const isChanged = state.presets.changed.includes(preset.id);
  const toList = async (): Promise<void> => {
    await actions.removePreset(preset.id);
    close();
  };
  if (isAsking) {
    return (
      <Buttons>
        <Button on={on} kind="action" label={strings.deletePreset} press={toList} />
        <Button
          on={on}
          kind="action"
          label={strings.cancel}
          press={() => {
            setAsking(false);
          }}
        />
      </Buttons>
    );
  }
  return (
    <Buttons>
      <Button
        on={on}
        kind="action"
        label={strings.duplicate}
        press={() => {
          edit({ ...preset, name: `${presetName(strings, preset)} 2` });
        }}
      />
      {isBuiltIn && isChanged && (
        <Button on={on} kind="action" label={strings.reset} press={toList} />
      )}
      {!isBuiltIn && (
        <Button
          on={on}
          kind="action"
          label={strings.delete}
          press={() => {
            setAsking(true);
          }}
        />
      )}
    </Buttons>
  );
}

function problemText(strings: Translations, problem: PatternProblem): string {
  switch (problem) {
    case 'empty':
      return strings.patternEmpty;
    case 'characters':
      return strings.fill('patternCharacters', { characters: FORBIDDEN });
    case 'placeholder':
      return strings.patternPlaceholder;
    case 'long':
      return strings.patternLong;
  }
}

function pixelsOf(text: string): number | null | 'wrong' {
  const digits = text.trim();
  if (digits === '') {
    return null;
  }
  const pixels = /^\d{1,6}$/.test(digits) ? Number(digits) : NaN;
  return pixels >= LONG_EDGE.least && pixels <= LONG_EDGE.most ? pixels : 'wrong';
}

/** What the format has no choice of is left as the document has it. */
function withoutOthers(
  settings: ExportSettings,
  pixels: number | null | 'wrong',
  can: (choice: ExportChoice) => boolean,
  hasAppPresets: boolean,
): ExportSettings {
  const plain = plainSettings(settings.format);
  const { pdf = PLAIN_PDF, inOut, ...others } = settings;
  return {
    ...others,
    ...(can('pdf') && isChanged(pdf) && { pdf }),
    ...(can('inOut') && inOut && { inOut }),
    longEdge: can('longEdge') && pixels !== 'wrong' ? pixels : null,
    ...(!hasAppPresets && { appPreset: plain.appPreset }),
    ...(!can('quality') && { quality: plain.quality }),
    ...(!can('profile') && { profile: plain.profile }),
    ...(!can('bitDepth') && { bitDepth: plain.bitDepth }),
    ...(!can('metadata') && { metadata: plain.metadata }),
  };
}

function isChanged({ pages, layout, marks }: PdfSettings): boolean {
  return (
    pages.kind !== PLAIN_PDF.pages.kind || layout !== PLAIN_PDF.layout || marks !== PLAIN_PDF.marks
  );
}

/** The name of the next copy of the open document; of a photo from a camera where none is open. */
function exampleName(
  pattern: string,
  format: string,
  preset: string,
  { openDocument, destinations, now }: Props['state'],
): string {
  const document = openDocument?.document.name ?? 'DSC_0123.psd';
  const name = nameFromPattern(pattern, {
    name: document.replace(/\.[A-Za-z0-9]{1,5}$/, ''),
    date: dayOf(now),
    preset,
    project: destinations.selected?.name ?? '',
  });
  return `${name}.${format}`;
}
