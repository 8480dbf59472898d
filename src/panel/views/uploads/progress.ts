import { box, element, setAttribute, setShown, setText, textBox } from '../../dom.js';
import { connectionStatus } from '../../connection-status.js';
import type { Translations } from '../../i18n/translations.js';
import type { View, ViewContext } from '../../view.js';
import { statusIcon } from '../common/status-icon.js';

/** Shows the progress of all photos: their number, bytes, speed, time left. */
export function progressSection({ strings }: ViewContext): View {
  const arrived = statusIcon();
  const counts = textBox('progress');
  const again = textBox('detail', strings.sentAgain);
  const bytes = textBox('detail bytes');
  const speed = textBox('detail speed');
  const time = textBox('detail');
  const bar = element('sp-progressbar', { attributes: { max: '100', value: '0' } });
  const barBox = box('bar', [bar]);
  const details = box('progress-details', [bytes, again, speed, time]);
  return {
    root: box('progress-part', [box('progress-head', [arrived.root, counts]), barBox, details]),
    update(state) {
      const { progress, summary } = state;
      const { uploaded, total, sentBytes, totalBytes, sendingAgain } = progress;
      // While nothing can be sent, an earlier measurement is outdated.
      const bytesPerSecond =
        connectionStatus(state) === 'connected' ? progress.bytesPerSecond : null;
      arrived.show(total > 0 && uploaded === total ? 'success' : null);
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
