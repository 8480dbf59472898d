import type { PanelPart } from '../../ui/view.js';

export interface ReportsPanel extends PanelPart {
  /** When the last report of what waits here was sent, for diagnostics. Milliseconds; null for not in this run. */
  readonly state: { readonly lastReportAt: number | null };
  readonly context: object;
}
