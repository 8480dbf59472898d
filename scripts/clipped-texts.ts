import manifest from '../manifest.json' with { type: 'json' };
import { PanelStates } from '../test/e2e/panel-states.js';

/**
 * The texts that are clipped, overflow or overlap in the smallest panel that the manifest admits, in every state and
 * every language. Needs a browser.
 * @returns one sentence for each
 */
export async function clippedTexts(): Promise<string[]> {
  const states = await PanelStates.open();
  try {
    const minimumSize = manifest.entrypoints.find(({ type }) => type === 'panel')?.minimumSize;
    if (minimumSize === undefined) {
      return ['The manifest has no panel.'];
    }
    const found = await states.layoutFaults(minimumSize);
    return Object.entries(found).flatMap(([language, byState]) =>
      Object.entries(byState).flatMap(([state, faults]) =>
        faults.map((fault) => `In ${language}, state ${state}: ${fault}.`),
      ),
    );
  } finally {
    await states.close();
  }
}
