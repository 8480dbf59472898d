import {
  CancelSource,
  orCancelled,
  throwIfCancelled,
  type CancelSignal,
} from '../../util/cancel.js';
import { sleep, type Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';
import { withinLimit } from './export-file.js';
import type { PhotoshopModule, PhotoshopScope } from './photoshop-module.js';

/** How long the plugin waits for another plugin or a dialog, and between two requests. Milliseconds. */
const MAX_BUSY_MS = 20_000;
const ASK_EVERY_MS = 500;

/**
 * How long one request waits inside Photoshop: five seconds, or five milliseconds where practice is right. Either is
 * short, because the plugin retries automatically.
 */
const TIME_OUT = 5;

/** `number` of the error while something else is modal (media/executeasmodal). */
const IS_MODAL = 9;

/** How long the plugin waits for the end of a scope that it has left. Milliseconds. */
const MAX_LEAVING_MS = 2_000;

/** What runs in a modal scope. @param signal  fires when the work must end: after Escape, and when it took too long */
type ModalWork = (scope: PhotoshopScope, signal: CancelSignal) => Promise<unknown>;

/**
 * Runs `work` in a modal scope. Waits while another plugin or a dialog is modal.
 * @param title  Photoshop shows this on a window while the work lasts
 * @throws {CwError} CW-807 when something else is modal for too long
 * @throws {Error} when it never ends
 * @throws {CancelledError} as soon as the user presses Escape, whether Photoshop ends the work or not
 */
export async function runModal(
  photoshop: PhotoshopModule,
  clock: Clock,
  title: string,
  work: ModalWork,
): Promise<void> {
  const escape = new CancelSource();
  let isOver = false;
  const scopes = { entered: 0 };
  let request: Promise<unknown> = Promise.resolve();
  const inScope = async (scope: PhotoshopScope): Promise<void> => {
    // Photoshop may grant a request after the plugin has given it up.
    if (isOver) {
      return;
    }
    scopes.entered += 1;
    scope.onCancel = () => {
      escape.cancel();
    };
    try {
      await orCancelled(work(scope, escape.signal), escape.signal);
    } finally {
      if (scope.isCancelled) {
        escape.cancel();
      }
    }
  };
  const enter = (): Promise<unknown> => {
    request = photoshop.core.executeAsModal(inScope, { commandName: title, timeOut: TIME_OUT });
    return request;
  };
  try {
    await withinLimit(clock, untilCancelled(enterWhenFree(clock, enter, escape.signal), escape));
  } finally {
    isOver = true;
    escape.cancel();
    if (scopes.entered > 0) {
      await settled(clock, request);
    }
  }
}

/** Waits for the end of a scope, in which Photoshop closes duplicates, but not for ever. */
function settled(clock: Clock, request: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const stopTimer = clock.startTimer(MAX_LEAVING_MS, resolve);
    const end = (): void => {
      stopTimer();
      resolve();
    };
    request.then(end, end);
  });
}

/** Retries to enter a modal scope while something else is modal. @throws {CwError} CW-807 */
async function enterWhenFree(
  clock: Clock,
  enter: () => Promise<unknown>,
  signal: CancelSignal,
): Promise<void> {
  const wait = { isOver: false };
  const stopTimer = clock.startTimer(MAX_BUSY_MS, () => {
    wait.isOver = true;
  });
  try {
    for (;;) {
      try {
        await enter();
        return;
      } catch (error) {
        if (!isModal(error)) {
          throw error;
        }
        if (wait.isOver) {
          throw busyError(error);
        }
      }
      await sleep(clock, ASK_EVERY_MS, signal);
    }
  } finally {
    stopTimer();
  }
}

/** The result of `work`. Any result after the user has cancelled counts as cancelled. */
async function untilCancelled(work: Promise<void>, { signal }: CancelSource): Promise<void> {
  try {
    await orCancelled(work, signal);
  } finally {
    throwIfCancelled(signal);
  }
}

function isModal(error: unknown): error is { readonly message?: unknown } {
  return (
    typeof error === 'object' &&
    error !== null &&
    'number' in error &&
    Number(error.number) === IS_MODAL
  );
}

/** How much of a message is searched for the name of a plugin. */
const MAX_MESSAGE_LENGTH = 1000;

/** The error for what keeps Photoshop busy, with the name of the plugin where Photoshop's message has it. */
function busyError(error: { readonly message?: unknown }): CwError {
  const message = String(error.message).slice(0, MAX_MESSAGE_LENGTH);
  const [, name = ''] =
    // Short subject: see above.
    /plugin:\s*(.+(?=\s+is running)|[\w.-]+)/i.exec(message) ?? [];
  return new CwError('CW-807', 'another plugin or a dialog is modal', {
    cause: error,
    busyWith: sanitizeDisplayName(name, 100),
  });
}
