import type { Host } from '../../host/host.js';
import { randomId } from '../../util/random-id.js';
import type { PartSources } from '../../ui/view.js';
import type { PresetsPanel } from './panel.js';
import { Presets } from './saved-presets.js';

export function startPresets({
  records,
  documentExporter,
  randomBytes,
}: Pick<Host, 'records' | 'documentExporter' | 'randomBytes'>): {
  readonly presets: Presets;
  readonly panel: PartSources<PresetsPanel>;
} {
  const exportOffers = documentExporter?.offers ?? [];
  const presets = new Presets({
    records,
    offers: exportOffers,
    newId: () => randomId(randomBytes),
  });
  return {
    presets,
    panel: {
      state: { presets: presets.state },
      context: {
        exportOffers,
        actions: {
          choosePreset: (id) => presets.choose(id),
          savePreset: (preset) => presets.save(preset),
          duplicatePreset: (preset, name) => presets.duplicate(preset, name),
          removePreset: (id) => presets.remove(id),
          appPresets: async () => (await documentExporter?.listAppPresets?.()) ?? [],
          pickAppPreset: async () => (await documentExporter?.pickAppPreset?.()) ?? null,
        },
      },
    },
  };
}
