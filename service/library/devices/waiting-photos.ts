import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { StoredReport } from './device-table.js';

/** While photos wait, the plugin reports every five minutes. After this time without a report a computer is offline. */
const OFFLINE_MS = 11 * 60_000;

/** The lines about photos that have not arrived; undefined without any. */
export function waitingPhotos(
  translator: Translator,
  reports: readonly StoredReport[],
  now: Date,
): Html | undefined {
  return reports.length === 0
    ? undefined
    : html`<ul class="waiting small soft">
        ${reports.map((report) => html`<li>${line(translator, report, now)}</li>`)}
      </ul>`;
}

function line(translator: Translator, report: StoredReport, now: Date): Html {
  const { deviceName, waiting: count, waitingSince, state, reason, reportedAt } = report;
  const device = verbatim(deviceName);
  const time = translator.time(waitingSince ?? reportedAt);
  const isOffline = now.getTime() - reportedAt.getTime() > OFFLINE_MS;
  const more = isOffline
    ? translator.html('offlineSince', { time: translator.time(reportedAt) })
    : state === 'paused'
      ? html`${translator.t('uploadsPaused')}`
      : state === 'blocked'
        ? html`${blockedText(translator, reason)}`
        : undefined;
  return html`${
    count === 1
      ? translator.html('photoWaits', { device, time })
      : translator.html('photosWait', { device, count, time })
  }${more && html` · ${more}`}`;
}

function blockedText(translator: Translator, reason: string | undefined): string {
  // Nothing has to be done at the computer: its files continue once there is space.
  if (reason === 'CW-606') {
    return translator.t('uploadsFull', { reason });
  }
  if (reason === 'CW-620') {
    return translator.t('uploadsServiceFull', { reason });
  }
  return reason === undefined
    ? translator.t('uploadsBlocked')
    : translator.t('uploadsBlockedBy', { reason });
}
