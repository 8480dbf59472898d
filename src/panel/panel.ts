import type { Clock } from '../util/clock.js';
import { toCwError } from '../util/errors.js';
import type { ReadableObservable } from '../util/observable.js';
import type { ExportOffer } from '../host/host.js';
import { box, button, setShown } from './dom.js';
import { ProgressMeter } from './progress.js';
import type { Translations } from './i18n/translations.js';
import type {
  PanelActions,
  PanelHost,
  PanelState,
  PanelStores,
  SignInControls,
  UploadControls,
  View,
  ViewContext,
} from './view.js';
import { busyView } from './views/sign-in/busy.js';
import { codeView } from './views/sign-in/code.js';
import { connectedView, type ConnectedView } from './views/uploads/connected.js';
import { helpSection, type HelpSection } from './views/common/help.js';
import { notice, type Notice } from './views/common/notice.js';
import { unsupportedHostView } from './views/sign-in/unsupported-host.js';
import { welcomeView } from './views/sign-in/welcome.js';

export interface PanelOptions {
  readonly stores: PanelStores;
  readonly uploads: UploadControls;
  readonly signIn: SignInControls;
  readonly actions: PanelActions;
  /** When they change, the panel is drawn again in the other language. */
  readonly translations: ReadableObservable<Translations>;
  readonly clock: Clock;
  readonly host: PanelHost;
  /** The ways in which the app can export the open document. */
  readonly exportOffers: readonly ExportOffer[];
  /** The app lacks required features: the panel shows only that. */
  readonly isUnsupported: boolean;
  /** Returns the text for support. */
  readonly diagnostics: () => string;
  readonly onUnexpectedError: (error: unknown) => void;
}

type ViewName = 'tooOld' | 'busy' | 'welcome' | 'code' | 'connected';

/** Changes within this time are drawn together, in milliseconds. */
const DRAW_EVERY_MS = 80;
/** Interval at which texts with a time left are redrawn, in milliseconds. */
const TICK_MS = 1_000;

/** The panel: draws what the stores hold whenever they change. */
export class Panel {
  private parent: HTMLElement | null = null;
  private root: HTMLElement | null = null;
  private views: (Readonly<Record<ViewName, View>> & { readonly connected: ConnectedView }) | null =
    null;
  private help: HelpSection | null = null;
  private shown: ViewName | null = null;
  /** The error of the user's last press, if there was one. */
  private outcome: Notice;
  private drawPending = false;
  private sawCode = false;
  private justApproved = false;
  private readonly meter = new ProgressMeter();

  constructor(private readonly options: PanelOptions) {
    const { session, account, signIn, queue, uploadState, summary, history } = options.stores;
    this.outcome = notice(this.strings);
    options.translations.subscribe(() => {
      this.speak();
    });
    const measure = (): void => {
      this.meter.observe(summary.get(), uploadState.get().adding !== null);
    };
    measure();
    summary.subscribe(measure);
    for (const source of [session, account, signIn, queue, uploadState, summary, history]) {
      source.subscribe(() => {
        this.drawSoon();
      });
    }
    this.tick();
  }

  private get strings(): Translations {
    return this.options.translations.get();
  }

  /** Draws everything again in the language as it is now. */
  private speak(): void {
    this.outcome.root.remove();
    this.outcome = notice(this.strings);
    if (this.parent) {
      this.show(this.parent);
    }
  }

  /** Draws into `parent` at once. May be called again, with the same parent or another. */
  show(parent: HTMLElement): void {
    this.root?.remove();
    this.parent = parent;
    this.shown = null;
    // All views are made at once and shown in turn: elements that are added to a panel later may be missing
    // from the host's tab order (known issues page).
    const context = this.context();
    this.views = {
      tooOld: unsupportedHostView(context),
      busy: busyView(context),
      welcome: welcomeView(context),
      code: codeView(context),
      connected: connectedView(context),
    };
    for (const { root } of Object.values(this.views)) {
      setShown(root, false);
    }
    this.help = helpSection(context);
    this.root = box('panel', [
      ...Object.values(this.views).map(({ root }) => root),
      this.help.root,
    ]);
    this.root.setAttribute('lang', this.strings.language);
    parent.appendChild(this.root);
    this.draw();
  }

  /** For the entry of the panel's menu: does the same as the button Disconnect. */
  disconnect(): void | Promise<void> {
    return this.shown === 'connected' && this.views
      ? this.views.connected.disconnect()
      : this.options.actions.disconnect();
  }

  /**
   * For the entry of the panel's menu: copies the diagnostics and confirms it. If the clipboard refuses them, shows
   * them.
   * @throws {unknown} what the clipboard rejects with
   */
  async copyDiagnostics(): Promise<void> {
    const { host, diagnostics } = this.options;
    try {
      await host.copyText(diagnostics());
    } catch (error) {
      this.help?.showDiagnostics();
      throw error;
    }
    this.say(this.strings.copied);
  }

  /** Shows a text at the bottom of the panel, where it moves no button, until a button is pressed. */
  private say(text: string): void {
    this.place(null);
    this.outcome.say(text);
  }

  /**
   * Shows what went wrong: below the row of the button that was pressed, or at the bottom of the panel.
   * @param frame  the frame of that button
   */
  reportError(error: unknown, frame?: HTMLElement): void {
    this.options.onUnexpectedError(error);
    // A photo's row has no room for it.
    const hasNoPlace = !frame || Boolean(frame.closest('.photos'));
    this.place(hasNoPlace ? null : frame.parentElement);
    this.outcome.error(this.strings.faultTitle, toCwError(error, 'CW-901', 'an unexpected error'));
  }

  private place(row: Element | null): void {
    const parent = row?.parentElement ?? this.root;
    const next = row ? row.nextSibling : this.help?.root;
    if (next !== undefined) {
      parent?.insertBefore(this.outcome.root, next);
    }
  }

  private tick(): void {
    this.options.clock.startTimer(TICK_MS, () => {
      this.tick();
      try {
        const { signIn, queue, summary } = this.options.stores;
        if (
          signIn.get().kind === 'code' ||
          signIn.get().kind === 'requesting' ||
          queue.get().kind === 'waiting' ||
          summary.get().uploading > 0
        ) {
          this.drawSoon();
        }
      } catch (error) {
        this.reportError(error);
      }
    });
  }

  private drawSoon(): void {
    if (this.drawPending) {
      return;
    }
    this.drawPending = true;
    this.options.clock.startTimer(DRAW_EVERY_MS, () => {
      this.drawPending = false;
      this.draw();
    });
  }

  private draw(): void {
    if (!this.root || !this.views) {
      return;
    }
    try {
      const state = this.state();
      const name = this.options.isUnsupported ? 'tooOld' : viewFor(state);
      const view = this.views[name];
      const before = this.shown === null ? null : this.views[this.shown];
      const byKeyboard = before !== null && showsFocus(before.root);
      view.update(state);
      this.help?.update(state);
      if (view !== before) {
        this.shown = name;
        setShown(view.root, true);
        if (before) {
          // A view is shown from its top, where the code is. Not needed for the first view, which is there already:
          // setting it would make the host lay out the panel once more before drawing.
          view.root.scrollTop = 0;
          setShown(before.root, false);
        }
        before?.leave?.();
      }
      // The button that was pressed may be gone. Keyboard users continue here, not at the top of the app.
      if (byKeyboard && !showsFocus(view.root)) {
        view.focus?.();
      }
    } catch (error) {
      // A panel that cannot draw must not stop the work.
      this.reportError(error);
    }
  }

  private state(): PanelState {
    const { stores } = this.options;
    const { session, account, signIn, queue, uploadState, summary, history } = stores;
    const now = this.options.clock.now();
    this.noteApproval();
    return {
      session: session.get(),
      account: account.get(),
      signIn: signIn.get(),
      isForAnother: stores.isForAnother(),
      queue: queue.get(),
      uploadState: uploadState.get(),
      summary: summary.get(),
      history: history.get(),
      progress: this.meter.read(now),
      justApproved: this.justApproved,
      now,
    };
  }

  /** After a sign-in in this panel, it confirms the connection until there are photos. */
  private noteApproval(): void {
    const { session, signIn, summary, isForAnother } = this.options.stores;
    const { waiting, uploading, uploaded, failed } = summary.get();
    if (signIn.get().kind === 'code') {
      this.sawCode = true;
    } else if (this.sawCode) {
      this.sawCode = false;
      this.justApproved = session.get().kind === 'signed-in' && !isForAnother();
    }
    if (session.get().kind !== 'signed-in' || waiting + uploading + uploaded + failed > 0) {
      this.justApproved = false;
    }
  }

  private context(): ViewContext {
    const { uploads, signIn, actions, clock, stores, host, exportOffers, diagnostics } =
      this.options;
    const onUnexpectedError = (error: unknown, frame?: HTMLElement): void => {
      this.reportError(error, frame);
    };
    return {
      strings: this.strings,
      uploads,
      signIn,
      actions,
      clock,
      host,
      exportOffers,
      onUnexpectedError,
      button: (kind, label, onClick) =>
        button(
          kind,
          label,
          () => {
            this.outcome.hide();
            return onClick();
          },
          onUnexpectedError,
        ),
      photos: () => stores.photos(0, Infinity),
      delivered: () => stores.delivered(),
      diagnostics,
    };
  }
}

/** Whether a visible button in `root` shows the keyboard focus. */
function showsFocus(root: HTMLElement): boolean {
  const hidden = '.focused[style*="none"], [style*="none"] .focused';
  return root.querySelectorAll('.focused').length > root.querySelectorAll(hidden).length;
}

function viewFor({ session, signIn, isForAnother }: PanelState): ViewName {
  // A sign-in that has just succeeded still shows its code briefly: the session has priority.
  if (session.kind === 'signed-in' && !isForAnother) {
    return 'connected';
  }
  if (signIn.kind === 'code') {
    return 'code';
  }
  if (signIn.kind === 'requesting' || session.kind === 'loading') {
    return 'busy';
  }
  return session.kind === 'signed-in' ? 'connected' : 'welcome';
}
