import { isJsonObject } from '../../util/json.js';
import type { DocumentSaves } from '../open-document.js';
import type { PhotoshopModule } from './photoshop-module.js';

/**
 * Listens to saves in Photoshop from now on. Photoshop fires no event while a modal scope is open that is not interactive,
 * so neither the plugin's exports nor saves of other plugins and Actions are reported.
 */
export function createPhotoshopSaves(photoshop: PhotoshopModule): DocumentSaves {
  const listeners = new Set<(documentKey: string) => void>();
  const onEvent = (_event: string, descriptor: unknown): void => {
    const key = savedDocument(photoshop, isJsonObject(descriptor) ? descriptor : {});
    if (key !== null) {
      for (const listener of [...listeners]) {
        listener(key);
      }
    }
  };
  const listen = async (): Promise<void> => {
    await photoshop.action.addNotificationListener(['save'], onEvent);
  };
  // Without the event nothing is uploaded on save; the rest of the plugin works.
  void listen().catch(() => undefined);
  return {
    onSave(callback) {
      const listener = (key: string): void => {
        callback(key);
      };
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/**
 * The key of the document that was saved; null for an event that is no finished save of the document itself. One save
 * fires two events, for its beginning and its end. `documentID` may be missing.
 */
function savedDocument(
  { app }: PhotoshopModule,
  { documentID, saveStage, copy }: Readonly<Record<string, unknown>>,
): string | null {
  // An enumeration is a text or a descriptor with the text.
  const stage = isJsonObject(saveStage) ? saveStage['_value'] : saveStage;
  if (stage === 'saveBegin' || copy === true) {
    return null;
  }
  if (typeof documentID === 'number') {
    return String(documentID);
  }
  try {
    return app.activeDocument ? String(app.activeDocument.id) : null;
  } catch {
    return null;
  }
}
