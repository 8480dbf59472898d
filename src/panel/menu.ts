import type { ReadableObservable } from '../util/observable.js';
import type { MenuItem } from '../host/panel-entry.js';
import { singleFlight } from '../util/single-flight.js';
import type { Translations } from '../ui/i18n/translations.js';
import type { Source } from '../ui/view.js';
import type { SignInControls } from '../features/sign-in/index.js';
import type { UploadControls, UploadManagerState } from '../features/uploads/index.js';

export interface MenuOptions {
  /** When they change, so do the labels. */
  readonly translations: ReadableObservable<Translations>;
  readonly uploadState: Source<Pick<UploadManagerState, 'paused'>>;
  readonly uploads: Pick<UploadControls, 'pause' | 'resume'>;
  readonly signIn: Pick<SignInControls, 'start'>;
  readonly addPhotos: () => Promise<void>;
  /** Called when the user chooses Disconnect: the panel may open a prompt first. */
  readonly disconnect: () => void | Promise<void>;
  /** Copies the diagnostics and confirms it in the panel, because a menu can only close. */
  readonly copyDiagnostics: () => Promise<void>;
  readonly onUnexpectedError: (error: unknown) => void;
}

/**
 * The panel's menu. Each entry returns at once, because the host allows its entry points 300 ms and does not document
 * what happens afterwards. While the work of an entry runs, choosing it again does nothing.
 */
export function panelMenu({
  translations,
  uploadState,
  uploads,
  signIn,
  addPhotos,
  disconnect,
  copyDiagnostics,
  onUnexpectedError,
}: MenuOptions): MenuItem[] {
  const item = itemMaker(translations, uploadState, onUnexpectedError);
  return [
    item('add-photos', (strings) => strings.addPhotos, addPhotos),
    item(
      'pause-or-resume',
      ({ pause, resume }) => (uploadState.get().paused ? resume : pause),
      () => {
        if (uploadState.get().paused) {
          uploads.resume();
        } else {
          uploads.pause();
        }
      },
    ),
    item(
      'another-account',
      ({ anotherAccount }) => anotherAccount,
      () => {
        signIn.start();
      },
    ),
    item('copy-diagnostics', (strings) => strings.copyDiagnostics, copyDiagnostics),
    item('disconnect', (strings) => strings.disconnect, disconnect),
  ];
}

/** Returns a factory of an entry whose label follows the language and the upload state. */
function itemMaker(
  translations: ReadableObservable<Translations>,
  uploadState: Source<unknown>,
  onUnexpectedError: (error: unknown) => void,
): (
  id: string,
  labelIn: (strings: Translations) => string,
  run: () => void | Promise<void>,
) => MenuItem {
  return (id, labelIn, run) => {
    const label = (): string => labelIn(translations.get());
    return {
      id,
      label: label(),
      onSelect: singleFlight(run, onUnexpectedError),
      onRelabel: (use) => {
        relabel(label, [translations, uploadState], use);
      },
    };
  };
}

/** Gives `use` the label whenever it has changed with one of the stores. */
function relabel(
  label: () => string,
  stores: readonly Source<unknown>[],
  use: (label: string) => void,
): void {
  let said = label();
  for (const store of stores) {
    store.subscribe?.(() => {
      if (label() !== said) {
        said = label();
        use(said);
      }
    });
  }
}
