/** Every state in which a user can see the panel. */
import type { Scenes } from './scene.js';
import { ACCOUNTS } from './scenes-accounts.js';
import { AUTOMATIC } from './scenes-automatic.js';
import { DELIVERED } from './scenes-delivered.js';
import { LIBRARY } from './scenes-library.js';
import { PHOTOS } from './scenes-photos.js';
import { PRESETS } from './scenes-presets.js';
import { SIGNING_IN } from './scenes-signing-in.js';
import { TROUBLE } from './scenes-trouble.js';

/** In the order of the preview's menu. */
export const SCENES = {
  ...SIGNING_IN,
  ...ACCOUNTS,
  ...PHOTOS,
  ...DELIVERED,
  ...LIBRARY,
  ...PRESETS,
  ...AUTOMATIC,
  ...TROUBLE,
} as const satisfies Scenes;

/** The name of a scene, as the address of the preview has it. */
export type SceneName = keyof typeof SCENES;

/** Whether there is a scene with this name. */
export function isSceneName(name: string): name is SceneName {
  return Object.hasOwn(SCENES, name);
}
