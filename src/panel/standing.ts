import { isSuperseded } from '../base/superseded.js';
import type { PanelState } from './view.js';

/** How a connected panel stands, in one word: what its headline says, and what everything below must agree with. */
export type Standing =
  | 'connected'
  /** The person chose Pause. */
  | 'paused'
  /** The service cannot be reached. */
  | 'offline'
  /** The service answers, but cannot do what it should. */
  | 'trouble'
  /** Another copy of the plugin does the work. */
  | 'replaced';

/** What keeps photos from being sent comes first. Trouble that no request has met yet is not shown. */
export function standingOf({
  queue,
  uploader,
  summary,
}: Pick<PanelState, 'queue' | 'uploader' | 'summary'>): Standing {
  if (isSuperseded(uploader.storageError)) {
    return 'replaced';
  }
  if (uploader.paused) {
    return 'paused';
  }
  const pending = summary.waiting + summary.uploading > 0;
  // Nothing is tried while the person has to answer, nor while there is nothing to send.
  if (queue.kind === 'open' || !pending || uploader.question) {
    return 'connected';
  }
  return queue.error.code === 'CW-301' ? 'offline' : 'trouble';
}
