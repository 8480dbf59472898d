import manifest from '../manifest.json' with { type: 'json' };
import { PanelStates } from '../test/e2e/panel-states.js';

/** Texts that are clipped, overflow or overlap in the smallest panel the manifest admits: every state, every language. */
export async function clippedTexts(): Promise<string[]> {
  const states = await PanelStates.open();
  try {
    const [panel] = manifest.entrypoints;
    if (panel === undefined) {
      return ['The manifest has no panel.'];
    }
    const found = await states.layoutFaults(panel.minimumSize);
    return Object.entries(found).flatMap(([language, byState]) =>
      Object.entries(byState).flatMap(([state, faults]) =>
        faults.map((fault) => `In ${language}, state ${state}: ${fault}.`),
      ),
    );
  } finally {
    await states.close();
  }
}
