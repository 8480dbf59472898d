import type { ComponentChildren, VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { ExportOffer } from '../../host/document-export.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { shortTime } from '../../ui/local-time.js';
import { Button, FileName } from '../../ui/controls.js';
import type { OpenDocumentState } from './document-state.js';
import type { Props } from './panel.js';
import { ClientAnswer } from './client-answer-line.js';
import { useDocumentPicture } from './document-picture.js';
import { ExportLength } from './export-length.js';
import { PresetButton } from './preset-button.js';
import { Picture } from '../../ui/picture.js';

/** The label of the button, by the content of the export. */
const LABELS = {
  document: 'uploadDocument',
  page: 'uploadPage',
  frame: 'uploadFrame',
  sequence: 'uploadSequence',
} as const;

/** The open document: what it is, whether it was uploaded, and the button that uploads it with the chosen preset. */
export function DocumentCard({
  context,
  state,
  onUpload,
}: Props & {
  /** Called before an upload begins, and with the outcome of the export. */
  readonly onUpload: (offer: ExportOffer, upload: () => Promise<void>) => Promise<void>;
}): VNode | null {
  const { strings, actions, exportOffers, on } = context;
  const { chosen: preset } = state.presets;
  const offer = exportOffers.find(({ format }) => format === preset?.settings.format);
  if (!preset || !offer) {
    return null;
  }
  const label = strings[LABELS[offer.gives]];
  const presets = <PresetButton {...{ context, state, preset }} />;
  return (
    <div class="card">
      {state.openDocument && (
        <div class="card-line">
          <OpenDocument {...{ context, state }} open={state.openDocument}>
            {presets}
          </OpenDocument>
        </div>
      )}
      <ExportLength {...{ context, state, preset }} />
      {state.openDocument?.approval && (
        <ClientAnswer context={context} approval={state.openDocument.approval} />
      )}
      <div class="card-buttons">
        <Button
          on={on}
          wide
          label={label}
          press={() => onUpload(offer, () => actions.uploadDocument(preset, label))}
        />
        {!state.openDocument && presets}
      </div>
    </div>
  );
}

/** Remembers the content of the last export, for the title of its failure. */
export function useExportTitle(strings: Translations): {
  readonly note: (offer: ExportOffer) => void;
  readonly title: () => string;
} {
  const last = useRef<ExportOffer['gives']>('document');
  return {
    note: ({ gives }) => {
      last.current = gives;
    },
    title: () =>
      ({
        document: strings.documentTitle,
        page: strings.pageTitle,
        frame: strings.frameTitle,
        sequence: strings.sequenceTitle,
      })[last.current],
  };
}

/** The document's picture, its name, and whether it was uploaded. */
function OpenDocument({
  context: { strings, on },
  state: { now },
  open: { document, upload },
  children,
}: Props & {
  readonly open: OpenDocumentState;
  readonly children: ComponentChildren;
}): VNode {
  const picture = useDocumentPicture(document, on.onUnexpectedError);
  return (
    <>
      <Picture source={picture} class="card-picture" />
      <div class="card-text">
        <FileName name={document.name} class="card-name" />
        <div class="card-second">
          <div class={`card-state ${upload.kind}`}>{stateText(strings, upload, now)}</div>
          {children}
        </div>
      </div>
    </>
  );
}

function stateText(
  strings: Translations,
  upload: OpenDocumentState['upload'],
  now: number,
): string {
  switch (upload.kind) {
    case 'not-uploaded':
      return strings.documentNotUploaded;
    case 'uploaded':
      return strings.fill('documentUploaded', { time: shortTime(strings, upload.at, now) });
    case 'changed':
      return strings.fill('documentChanged', { time: shortTime(strings, upload.since, now) });
  }
}
