import type { ErrorCode } from '../../util/errors.js';
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
  /** The service has no space for the photos. */
  | 'full'
  /** Another instance of the plugin does the work. */
  | 'replaced';

const STATUSES: Readonly<Partial<Record<ErrorCode, ConnectionStatus>>> = {
  'CW-301': 'offline',
  'CW-606': 'full',
};

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
  const wait = queue.kind === 'waiting' ? queue : uploadState.space;
  // While a prompt is open, or the queue is empty, no request is tried.
  if (wait.kind === 'closed' || !pending || uploadState.question) {
    return 'connected';
  }
  return STATUSES[wait.error.code] ?? 'trouble';
}
