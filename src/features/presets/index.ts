export { dayOf, nameFromPattern } from './name-pattern.js';
export type { PresetsPanel } from './panel.js';
export { openPresets } from './preset-list.js';
export { presetDetail, presetName } from './preset-name.js';
export { type Preset, containsPart, identityOfPreset, readPreset, writePreset } from './preset.js';
export type { Presets } from './saved-presets.js';
export { recipeOf } from './recipe.js';
export { startPresets } from './start.js';
