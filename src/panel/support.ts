import type { Host } from '../host/host.js';
import { toCwError } from '../util/errors.js';
import { Redactor } from '../util/redact.js';
import { diagnosticsText } from './diagnostics.js';
import { ErrorLog } from './error-log.js';
import type { PanelStores } from './view.js';

/** What support gets to see of this run. @param service  the service's origin */
export function startSupport({ clock, info }: Pick<Host, 'clock' | 'info'>, service: string) {
  const redactor = new Redactor();
  const errors = new ErrorLog(clock);
  const startedAt = clock.now();
  return {
    redactor,
    onFailure: (error: unknown): void => {
      errors.note(error);
    },
    /** Records and logs an uncaught error. */
    onUnexpectedError: (thrown: unknown): void => {
      const error = toCwError(thrown, 'CW-901', 'an unexpected error');
      errors.note(error);
      console.error(redactor.redact(error.message));
    },
    /**
     * Notes every error that the stores show from now on.
     * @returns  gives a text about the plugin's state, without anything secret or private
     */
    watch: (stores: PanelStores): (() => string) => {
      errors.watch(stores);
      return () =>
        redactor.redact(
          diagnosticsText({
            host: info,
            stores,
            service,
            startedAt,
            errors: errors.entries,
            now: clock.now(),
          }),
        );
    },
  };
}
