import { CwError } from '../../util/errors.js';
import type { ActionSteps } from '../host.js';
import type { PhotoshopModule } from './photoshop-module.js';

/** Name of the global function that Photoshop calls for a step. It is in recorded Actions: it must never change. */
const PLAY = 'creativeWorkspaceUploadStep';
/** Key of what was recorded. Photoshop shows keys that it recognizes, so this one has a prefix. It must never change. */
const CONTENT = 'com.creativeworkspace.plugin.step';

/**
 * Steps in Photoshop's Actions.
 * @param globals  the global object of the script: Photoshop finds the function there by its name
 */
export function createPhotoshopActionSteps(
  { action }: PhotoshopModule,
  globals: object,
): ActionSteps | null {
  if (typeof action.recordAction !== 'function') {
    return null;
  }
  return {
    async record(name, content) {
      try {
        await action.recordAction?.({ name, methodName: PLAY }, { [CONTENT]: content });
      } catch (error) {
        throw new CwError('CW-808', 'Photoshop recorded no step', { cause: error });
      }
    },
    onPlay(play) {
      const step = async (
        _context: unknown,
        info?: Readonly<Record<string, unknown>>,
      ): Promise<unknown> => {
        const content = info?.[CONTENT];
        await play(typeof content === 'string' ? content : '');
        // What is returned replaces what was recorded when the user records the step again.
        return info;
      };
      Object.assign(globals, { [PLAY]: step });
    },
  };
}
