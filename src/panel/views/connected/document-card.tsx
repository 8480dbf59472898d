import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { DocumentFormat, ExportOffer } from '../../../host/host.js';
import type { Translations } from '../../i18n/translations.js';
import { shortTime } from '../../local-time.js';
import { openMenu } from '../../menu-layer.js';
import { Button, Control, FileName, Icon } from '../../ui.js';
import type { DocumentCard as Card, ViewProps } from '../../view.js';
import { Picture } from './picture.js';

const FORMAT_NAMES: Readonly<Record<DocumentFormat, string>> = {
  jpg: 'JPEG',
  png: 'PNG',
  psd: 'PSD',
  pdf: 'PDF',
};

/** The label of the button, by what the export gives. */
const LABELS = {
  document: 'uploadDocument',
  page: 'uploadPage',
  frame: 'uploadFrame',
} as const;

/** The open document: what it is, whether it was uploaded, and the button that uploads it in the chosen format. */
export function DocumentCard({
  context,
  state,
  onUpload,
}: ViewProps & {
  /** Called before an upload begins, and with the outcome of the export. */
  readonly onUpload: (offer: ExportOffer, upload: () => Promise<void>) => Promise<void>;
}): VNode | null {
  const { strings, actions, exportOffers, on } = context;
  const [first] = exportOffers;
  const [chosen, setChosen] = useState<ExportOffer | undefined>(
    exportOffers.find(({ format }) => format === context.rememberedFormat) ?? first,
  );
  if (!chosen) {
    return null;
  }
  const label = strings[LABELS[chosen.gives]];
  const choose = (offer: ExportOffer): void => {
    setChosen(offer);
    void Promise.resolve(actions.rememberFormat(offer.format)).catch(on.onUnexpectedError);
  };
  return (
    <div class="card">
      {state.document && (
        <div class="card-line">
          <Picture source={state.document.picture} class="card-picture" />
          <div class="card-text">
            <FileName name={state.document.name} class="card-name" />
            <div class={`card-state ${state.document.state}`}>
              {stateText(strings, state.document, state.now)}
            </div>
          </div>
        </div>
      )}
      <div class="card-buttons">
        <Button
          on={on}
          wide
          label={label}
          press={() => onUpload(chosen, () => actions.uploadDocument(chosen.format, label))}
        />
        {exportOffers.length > 1 && (
          <Control
            class="format"
            on={on}
            openMenu={(anchor) => {
              openMenu(
                context,
                anchor,
                exportOffers.map((offer) => ({
                  label: FORMAT_NAMES[offer.format],
                  isChosen: offer === chosen,
                  press: () => {
                    choose(offer);
                  },
                })),
              );
            }}
          >
            <div>{FORMAT_NAMES[chosen.format]}</div>
            <Icon name="down" />
          </Control>
        )}
      </div>
    </div>
  );
}

/** Remembers what the last export was to give, for the title of its failure. */
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
      })[last.current],
  };
}

function stateText(strings: Translations, { state, uploadedAt }: Card, now: number): string {
  if (state === 'not-uploaded' || uploadedAt === null) {
    return strings.documentNotUploaded;
  }
  const time = shortTime(uploadedAt, now);
  return strings.fill(state === 'changed' ? 'documentChanged' : 'documentUploaded', { time });
}
