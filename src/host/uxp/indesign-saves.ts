import type { Clock } from '../../util/clock.js';
import type { DocumentSaves } from '../open-document.js';
import { openInDesignDocument } from './indesign-document.js';
import type { InDesignModule } from './indesign-module.js';

/** Events after which the document itself is saved. `afterSaveACopy` leaves it as it is. */
const EVENTS = ['afterSave', 'afterSaveAs'] as const;

/**
 * Listens to saves in InDesign. While it fires events, InDesign may still be at work on the document, so the document is
 * read only afterwards.
 */
export function createInDesignSaves(indesign: InDesignModule, clock: Clock): DocumentSaves {
  return {
    onSave(callback) {
      let isListening = true;
      const registered = EVENTS.flatMap((type) => {
        try {
          return [
            indesign.app.addEventListener(type, ({ target }) => {
              clock.startTimer(0, () => {
                const key = isListening ? (keyOf(indesign, target) ?? frontKey(indesign)) : null;
                if (key !== null) {
                  callback(key);
                }
              });
            }),
          ];
        } catch {
          // Without the event nothing is uploaded on save; the rest of the plugin works.
          return [];
        }
      });
      return () => {
        isListening = false;
        for (const listener of registered) {
          listener.remove();
        }
      };
    },
  };
}

/** Null for what is no open document. */
function keyOf(indesign: InDesignModule, target: unknown): string | null {
  try {
    const id: unknown =
      typeof target === 'object' && target !== null ? Reflect.get(target, 'id') : null;
    return openInDesignDocument(indesign, String(id)) ? String(id) : null;
  } catch {
    return null;
  }
}

function frontKey({ app }: InDesignModule): string | null {
  try {
    return String(app.activeDocument.id);
  } catch {
    return null;
  }
}
