import type { PartSources } from '../../ui/view.js';
import type { UploadQueue } from '../queue/index.js';
import type { UploadManager } from '../uploads/index.js';
import type { ReportsPanel } from './panel.js';
import { queueFacts, QueueReports, type QueueReportsOptions } from './queue-report.js';

interface StartOptions extends Omit<QueueReportsOptions, 'facts' | 'changes'> {
  readonly queue: Pick<UploadQueue, 'slice' | 'summary'>;
  readonly uploads: Pick<UploadManager, 'state'>;
}

export function startReports({ queue, uploads, ...options }: StartOptions): {
  readonly reports: QueueReports;
  readonly panel: PartSources<ReportsPanel>;
} {
  const reports = new QueueReports({
    ...options,
    facts: () => queueFacts(queue.slice(0, Infinity), uploads.state.get()),
    changes: [queue.summary, uploads.state],
  });
  return {
    reports,
    panel: { state: { lastReportAt: { get: () => reports.lastSentAt } }, context: {} },
  };
}
