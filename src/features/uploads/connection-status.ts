import { isStorageTakenOver } from '../../util/storage-ownership.js';
import type { UploadsPanel } from './panel.js';

/** The state of a connected panel: its headline shows it, and everything below must agree with it. */
export type ConnectionStatus =
  | 'connected'
  /** The user chose Pause. */
  | 'paused'
  /** The service cannot be reached. */
  | 'offline'
  /** The service answers, but cannot do what it should. */
  | 'trouble'
  /** Another instance of the plugin does the work. */
  | 'replaced';

/** The state to show. Reasons that block uploads have priority; errors count only while photos wait to be sent. */
export function connectionStatus({
  queue,
  uploadState,
  summary,
}: Pick<UploadsPanel['state'], 'queue' | 'uploadState' | 'summary'>): ConnectionStatus {
  if (isStorageTakenOver(uploadState.storageError)) {
    return 'replaced';
  }
  if (uploadState.paused) {
    return 'paused';
  }
  const pending = summary.waiting + summary.uploading > 0;
  // While a prompt is open, or the queue is empty, no request is tried.
  if (queue.kind === 'closed' || !pending || uploadState.question) {
    return 'connected';
  }
  return queue.error.code === 'CW-301' ? 'offline' : 'trouble';
}
