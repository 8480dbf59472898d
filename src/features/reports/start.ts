import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { PartSources } from '../../ui/view.js';
import type { UploadQueue } from '../queue/index.js';
import type { UploadManager } from '../uploads/index.js';
import type { ReportsPanel } from './panel.js';
import { queueFacts, QueueReports, type QueueReportsOptions } from './queue-report.js';

interface StartOptions extends Pick<QueueReportsOptions, 'device'> {
  readonly queue: Pick<UploadQueue, 'slice' | 'summary'>;
  readonly uploads: Pick<UploadManager, 'state'>;
}

export function startReports(
  host: Pick<Host, 'clock' | 'records'>,
  connection: Pick<Connection, 'session' | 'requests' | 'capabilities' | 'api' | 'isConnected'>,
  { device, queue, uploads }: StartOptions,
): {
  readonly reports: QueueReports;
  readonly panel: PartSources<ReportsPanel>;
} {
  const reports = new QueueReports({
    ...connection,
    endpoint: `${connection.api}/devices`,
    clock: host.clock,
    records: host.records,
    device,
    facts: () => queueFacts(queue.slice(0, Infinity), uploads.state.get()),
    changes: [queue.summary, uploads.state],
  });
  connection.session.state.subscribe(({ kind }) => {
    if (kind === 'signed-in') {
      reports.onSignedIn();
    }
  });
  return {
    reports,
    panel: { state: { lastReportAt: { get: () => reports.lastSentAt } }, context: {} },
  };
}
