import { block, element, setAttribute, setShown, setText, textBlock } from '../../dom.js';
import { connectionStatus } from '../../connection-status.js';
import type { Translations } from '../../i18n/translations.js';
import type { View, ViewContext } from '../../view.js';
import { statusIcon } from '../common/status-icon.js';

/** Shows the progress of all photos: their number, bytes, speed, time left. */
export function progressSection({ strings }: ViewContext): View {
  const arrived = statusIcon();
  const counts = textBlock('progress');
  const again = textBlock('detail', strings.sentAgain);
  const bytes = textBlock('detail bytes');
  const speed = textBlock('detail speed');
  const time = textBlock('detail');
  const bar = element('sp-progressbar', { attributes: { max: '100', value: '0' } });
  const barBox = block('bar', [bar]);
  const details = block('progress-details', [bytes, again, speed, time]);
  return {
    root: block('progress-part', [block('progress-head', [arrived.root, counts]), barBox, details]),
    update(state) {
      const { progress, summary } = state;
      const { uploaded, total, sentBytes, totalBytes, sendingAgain } = progress;
      // While nothing can be sent, an earlier measurement says nothing.
      const bytesPerSecond =
        connectionStatus(state) === 'connected' ? progress.bytesPerSecond : null;
      arrived.show(total > 0 && uploaded === total ? 'good' : null);
      const pending = summary.waiting + summary.uploading > 0;
      setText(counts, countsText(strings, uploaded, total));
      setShown(barBox, pending);
      setShown(details, pending);
      if (!pending) {
        return;
      }
      // The bar is full only when the service has confirmed the last byte.
      const percent = Math.floor((100 * sentBytes) / Math.max(1, totalBytes));
      setAttribute(bar, 'value', String(Math.min(99, percent)));
      setText(
        bytes,
        strings.fill('bytesSent', {
          sent: strings.size(sentBytes),
          total: strings.size(totalBytes),
        }),
      );
      setShown(again, sendingAgain);
      setShown(speed, bytesPerSecond !== null);
      setShown(time, bytesPerSecond !== null);
      if (bytesPerSecond === null) {
        return;
      }
      setText(speed, strings.fill('speed', { size: strings.size(bytesPerSecond) }));
      setText(time, strings.timeLeft(((totalBytes - sentBytes) * 1000) / bytesPerSecond));
    },
  };
}

function countsText(strings: Translations, uploaded: number, total: number): string {
  if (uploaded === total) {
    return strings.count('allUploaded', total);
  }
  return strings.count('progress', total, { uploaded: strings.number(Math.max(0, uploaded)) });
}
