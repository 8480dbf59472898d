/** Every state a person can meet the panel in, as the panel's sources tell it. */
import type { Scenes } from './scene.js';
import { ACCOUNTS } from './scenes-accounts.js';
import { DELIVERED } from './scenes-delivered.js';
import { PHOTOS } from './scenes-photos.js';
import { SIGNING_IN } from './scenes-signing-in.js';
import { TROUBLE } from './scenes-trouble.js';

/** In the order of the preview's menu. */
export const SCENES = {
  ...SIGNING_IN,
  ...ACCOUNTS,
  ...PHOTOS,
  ...DELIVERED,
  ...TROUBLE,
} as const satisfies Scenes;

export type SceneName = keyof typeof SCENES;

export function isSceneName(name: string): name is SceneName {
  return Object.hasOwn(SCENES, name);
}
