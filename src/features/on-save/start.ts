import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { Translations } from '../../ui/i18n/translations.js';
import type { ReadableObservable } from '../../util/observable.js';
import type { OpenDocumentWatch } from '../documents/index.js';
import type { Presets } from '../presets/index.js';
import type { PartSources } from '../../ui/view.js';
import type { OnSavePanel } from './panel.js';
import { UploadOnSave, type UploadOnSaveOptions } from './upload-on-save.js';

interface StartOptions extends Pick<
  UploadOnSaveOptions,
  'documents' | 'destinations' | 'photoStore' | 'onFailure'
> {
  readonly presets: UploadOnSaveOptions['presets'] & Pick<Presets, 'state'>;
  readonly openDocument: Pick<OpenDocumentWatch, 'state'>;
  readonly translations: ReadableObservable<Translations>;
  readonly onUnexpectedError: (error: unknown) => void;
}

export function startOnSave(
  host: Pick<Host, 'documentSaves' | 'openDocument' | 'documentExporter' | 'records' | 'clock'>,
  { owner, session }: Pick<Connection, 'owner' | 'session'>,
  { presets, openDocument, translations, onUnexpectedError, ...options }: StartOptions,
): {
  readonly onSave: UploadOnSave;
  readonly panel: PartSources<OnSavePanel>;
} {
  const onSave = new UploadOnSave({
    ...options,
    presets,
    saves: host.documentSaves,
    openDocument: host.openDocument,
    exporter: host.documentExporter,
    records: host.records,
    clock: host.clock,
    owner,
    isSignedOut: () => session.state.get().kind === 'signed-out',
    title: () => translations.get().uploadDocument,
  });
  openDocument.state.subscribe((state) => {
    onSave.onFront(state?.document ?? null);
  });
  presets.state.subscribe(() => {
    onSave.update();
  });
  owner.subscribe(() => {
    void onSave.onAccount().catch(onUnexpectedError);
  });
  return {
    onSave,
    panel: {
      state: { onSave: onSave.state },
      context: {
        actions: {
          chooseOnSave: (mode, documentId) => onSave.choose(mode, documentId),
          switchOnSaveOff: () => onSave.switchOff(),
          chooseOnSavePreset: (id) => onSave.choosePreset(id),
          retrySave: (documentId) => onSave.retry(documentId),
          dismissSave: (documentId) => onSave.dismiss(documentId),
        },
      },
    },
  };
}
