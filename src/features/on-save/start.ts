import type { PartSources } from '../../ui/view.js';
import type { OnSavePanel } from './panel.js';
import { UploadOnSave, type UploadOnSaveOptions } from './upload-on-save.js';

export function startOnSave(options: UploadOnSaveOptions): {
  readonly onSave: UploadOnSave;
  readonly panel: PartSources<OnSavePanel>;
} {
  const onSave = new UploadOnSave(options);
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
