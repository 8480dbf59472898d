import type { enFiles } from '../../service/pages/words/files/en.js';
import type { Places } from './places.js';

/** Where the support guide explains the words about versions and downloads. */
export const FILES_PLACES: Places<keyof typeof enFiles> = {
  versions: ['title', 'Versions of a photo'],
  versionsText: ['message', 'Versions of a photo'],
  versionCount: ['label', 'Versions of a photo'],
  newestVersion: ['message', 'Versions of a photo'],
  newerVersion: ['message', 'Versions of a photo'],
  versionSame: ['label', 'Versions of a photo'],
  versionDiffers: ['label', 'Versions of a photo'],
  moreVersions: ['button', 'Versions of a photo'],
  downloadAllZip: ['button', 'Photos in the browser'],
  downloadPageZip: ['button', 'This link does not work'],
  tooManyForZip: ['message', 'Photos in the browser'],
  addressEnded: ['message', 'Photos in the browser'],
};
