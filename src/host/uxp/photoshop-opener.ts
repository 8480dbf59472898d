import { CancelledError } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { CwError, toCwError } from '../../util/errors.js';
import type { FileOpener } from '../host.js';
import { hasEntry } from './downloads.js';
import type { PhotoshopModule } from './photoshop-module.js';
import { runModal } from './photoshop-modal.js';

/** Opens files as documents (`open` of the Photoshop page). */
export function createPhotoshopOpener(photoshop: PhotoshopModule, clock: Clock): FileOpener {
  return {
    async open(file, stepName) {
      if (!hasEntry(file)) {
        throw new CwError('CW-819', 'the file is not one of this host');
      }
      try {
        await runModal(photoshop, clock, stepName, () => photoshop.app.open(file.entry.entry));
      } catch (error) {
        if (error instanceof CancelledError) {
          throw error;
        }
        throw toCwError(error, 'CW-819', 'Photoshop did not open the file');
      }
    },
  };
}
