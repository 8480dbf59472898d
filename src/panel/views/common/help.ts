import { isStorageTakenOver } from '../../../util/storage-ownership.js';
import { box, buttonRow, setShown, textBox } from '../../dom.js';
import type { PanelState, ViewContext } from '../../view.js';
import { copyButton } from './copy-button.js';
import { selectableText } from './selectable-text.js';

export interface HelpSection {
  readonly root: HTMLElement;
  update(state: PanelState): void;
  /** Unfolds the help and the diagnostics in it, to be copied by hand. */
  showDiagnostics(): void;
}

/**
 * The help below every view: the versions of plugin and app, and the diagnostics for support, to copy or to read.
 * Collapsed at first.
 */
export function helpSection(context: ViewContext): HelpSection {
  const { strings, signIn, clock, host, button, diagnostics } = context;
  const text = selectableText();
  const show = button('secondary', strings.showDiagnostics, () => {
    if (text.isShown()) {
      hideDiagnostics();
    } else {
      showDiagnostics();
    }
  });
  const copy = copyButton(context, 'secondary', strings.copyDiagnostics, async () => {
    try {
      await host.copyText(diagnostics());
    } catch (error) {
      // Only when the message about the refusal is shown above the text: then getting the focus scrolls the text into
      // view.
      clock.startTimer(0, showDiagnostics);
      throw error;
    }
  });
  // Here, out of the way: this is wanted rarely, and must not be pressed in place of Disconnect.
  const another = box('another', [
    textBox('detail', strings.anotherText),
    buttonRow([button('secondary', strings.anotherAccount, () => signIn.start())]),
  ]);
  const inside = box('help-inside', [
    textBox('detail', strings.helpText),
    textBox(
      'detail',
      strings.fill('versions', {
        plugin: host.info.pluginVersion,
        app: host.info.appName,
        version: host.info.appVersion,
      }),
    ),
    buttonRow([copy, show]),
    text.root,
    another,
  ]);
  let open = false;
  const unfold = (wanted: boolean): void => {
    open = wanted;
    toggle.setLabel(open ? strings.close : strings.help);
    setShown(inside, open);
    if (!open) {
      hideDiagnostics();
    }
  };
  const showDiagnostics = (): void => {
    unfold(true);
    show.setLabel(strings.hideDiagnostics);
    text.show(diagnostics());
  };
  const hideDiagnostics = (): void => {
    show.setLabel(strings.showDiagnostics);
    text.hide();
  };
  const toggle = button('quiet', strings.help, () => {
    unfold(!open);
  });
  unfold(false);
  return {
    root: box('help', [buttonRow([toggle]), inside]),
    update({ session, signIn, uploadState }) {
      const isBusy = signIn.kind === 'code' || signIn.kind === 'requesting';
      const isElsewhere = isStorageTakenOver(uploadState.storageError);
      setShown(another, session.kind === 'signed-in' && !isBusy && !isElsewhere);
    },
    showDiagnostics,
  };
}
