import type { DocumentFormat, ExportOffer } from '../../../host/host.js';
import type { Button } from '../../dom.js';
import type { ViewContext } from '../../view.js';

const FORMAT_NAMES: Readonly<Record<DocumentFormat, string>> = {
  jpg: 'JPEG',
  png: 'PNG',
  psd: 'PSD',
  pdf: 'PDF',
};

/** The label of the button, and the title when the export failed, by what the export gives. */
const EXPORT_WORDS = {
  document: { label: 'uploadDocument', failed: 'documentTitle' },
  page: { label: 'uploadPage', failed: 'pageTitle' },
  frame: { label: 'uploadFrame', failed: 'frameTitle' },
} as const;

/**
 * Uploads the open document: one button to upload, and one that steps through the formats the app offers, since the
 * host's dropdown cannot be used by keyboard. Hidden where the app offers none.
 */
export function exportUpload({ strings, actions, button, exportOffers }: ViewContext): {
  readonly buttons: readonly Button[];
  /** The title for a failed last export. */
  failedTitle(): string;
} {
  const [first] = exportOffers;
  if (!first) {
    return { buttons: [], failedTitle: () => strings.documentTitle };
  }
  let chosen: ExportOffer = first;
  let asked: ExportOffer = first;
  const words = ({ gives }: ExportOffer): (typeof EXPORT_WORDS)[typeof gives] =>
    EXPORT_WORDS[gives];
  const formatLabel = (): string => strings.fill('format', { format: FORMAT_NAMES[chosen.format] });
  const upload = button('secondary', strings[words(chosen).label], () => {
    asked = chosen;
    return actions.uploadDocument(chosen.format, strings[words(chosen).label]);
  });
  const format = button('action', formatLabel(), () => {
    chosen = exportOffers[(exportOffers.indexOf(chosen) + 1) % exportOffers.length] ?? first;
    upload.setLabel(strings[words(chosen).label]);
    format.setLabel(formatLabel());
  });
  return {
    buttons: exportOffers.length > 1 ? [upload, format] : [upload],
    failedTitle: () => strings[words(asked).failed],
  };
}
