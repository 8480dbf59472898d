import { render } from 'preact';
import type { PanelHost, PartSources, Source } from '../ui/view.js';
import type { Clock } from '../util/clock.js';
import { toCwError } from '../util/errors.js';
import type { ReadableObservable } from '../util/observable.js';
import { App } from './app.js';
import { ProgressMeter, pendingOf } from '../features/uploads/index.js';
import { SHELL_CLASS } from './shell.js';
import type { Translations } from '../ui/i18n/translations.js';
import {
  viewFor,
  type PanelContext,
  type PanelParts,
  type PanelState,
  type PanelStores,
  type PanelUi,
  type ViewName,
} from './view.js';

export interface PanelOptions {
  /** What the features show. */
  readonly panel: PartSources<PanelParts>;
  /** When they change, the panel is drawn again in the other language. */
  readonly translations: ReadableObservable<Translations>;
  readonly clock: Clock;
  readonly host: PanelHost;
  /** The app lacks required features: the panel shows only that. */
  readonly isUnsupported: boolean;
  /** Returns the text for support. */
  readonly diagnostics: () => string;
  readonly onUnexpectedError: (error: unknown) => void;
}

/** Changes within this time are drawn together, in milliseconds. */
const DRAW_EVERY_MS = 80;
/** The same for the progress of uploads, which never ends while photos are sent: drawing must not slow the uploads down. */
const DRAW_PROGRESS_EVERY_MS = 500;
/** What changes with the progress of uploads. */
const PROGRESS: ReadonlySet<string> = new Set<keyof PanelStores>([
  'uploadState',
  'summary',
  'delivered',
  'pictures',
]);
/** Interval at which texts with a time left are redrawn, in milliseconds. */
const TICK_MS = 1_000;
/** How long a removal can be undone in the panel, in milliseconds. */
const UNDO_MS = 10_000;

const CLOSED: PanelUi = {
  layer: null,
  isDisconnecting: false,
  help: 'folded',
  outcome: null,
  sheet: null,
  selection: null,
  choosing: null,
};

/** The panel: draws what the stores hold whenever they change. */
export class Panel {
  private root: HTMLElement | null = null;
  private ui = CLOSED;
  private shown: ViewName | null = null;
  private state: PanelState | null = null;
  /** The drawing that is to come; `at` in milliseconds since 1970. */
  private nextDrawing: { readonly at: number; readonly stop: () => void } | null = null;
  private sawCode = false;
  private justApproved = false;
  private removal: { readonly value: PanelState['removal']; readonly at: number } = {
    value: null,
    at: 0,
  };
  private readonly meter = new ProgressMeter();

  constructor(private readonly options: PanelOptions) {
    const { state: stores } = options.panel;
    const { summary, uploadState } = stores;
    options.translations.subscribe(() => {
      // Earlier messages are in the other language.
      this.change({ outcome: null, layer: null });
    });
    const measure = (): void => {
      this.meter.observe(summary.get(), uploadState.get().adding !== null);
    };
    measure();
    summary.subscribe?.(measure);
    for (const [name, source] of Object.entries<Source<unknown>>(stores)) {
      const isProgress = PROGRESS.has(name);
      source.subscribe?.(() => {
        const isOften = isProgress && summary.get().uploading > 0;
        this.drawSoon(isOften ? DRAW_PROGRESS_EVERY_MS : DRAW_EVERY_MS);
      });
    }
    this.tick();
  }

  private get strings(): Translations {
    return this.options.translations.get();
  }

  /** Draws into `parent` at once. May be called again, with the same parent or another. */
  show(parent: HTMLElement): void {
    if (this.root) {
      render(null, this.root);
      this.root.remove();
    }
    this.root = document.createElement('div') as unknown as HTMLElement;
    this.shown = null;
    parent.appendChild(this.root);
    this.draw();
    parent.querySelector(`.${SHELL_CLASS}`)?.remove();
  }

  /** Disconnects at once when all photos are uploaded, else only after the user has confirmed. */
  disconnect(): void | Promise<void> {
    const { uploadState, summary } = this.options.panel.state;
    const unsent = pendingOf({ uploadState: uploadState.get(), summary: summary.get() });
    if (this.shown === 'connected' && unsent > 0) {
      this.change({ isDisconnecting: true });
      return undefined;
    }
    return this.options.panel.context.actions.disconnect();
  }

  /**
   * For the entry of the panel's menu: copies the diagnostics and confirms it. If the clipboard refuses them, shows
   * them.
   * @throws {unknown} the clipboard's error
   */
  async copyDiagnostics(): Promise<void> {
    const { host, diagnostics } = this.options;
    try {
      await host.copyText(diagnostics());
    } catch (error) {
      this.change({ help: 'diagnostics' });
      throw error;
    }
    this.change({ outcome: { title: this.strings.copied, error: null } });
  }

  /** Shows an error at the bottom of the panel, where it moves no button, until a button is pressed. */
  reportError(error: unknown): void {
    this.options.onUnexpectedError(error);
    const outcome = {
      title: this.strings.faultTitle,
      error: toCwError(error, 'CW-901', 'an unexpected error'),
    };
    this.ui = { ...this.ui, outcome };
    // With the previous state: drawing the new one may have caused the error.
    this.render();
  }

  private change(ui: Partial<PanelUi>): void {
    this.ui = { ...this.ui, ...ui };
    this.draw();
  }

  private tick(): void {
    this.options.clock.startTimer(TICK_MS, () => {
      this.tick();
      try {
        const { signIn, queue, summary } = this.options.panel.state;
        if (
          signIn.get().kind === 'code' ||
          signIn.get().kind === 'requesting' ||
          queue.get().kind === 'waiting' ||
          summary.get().uploading > 0 ||
          this.state?.removal
        ) {
          this.drawSoon();
        }
      } catch (error) {
        this.reportError(error);
      }
    });
  }

  /** @param waitMs within this time, unless an earlier change is drawn sooner */
  private drawSoon(waitMs = DRAW_EVERY_MS): void {
    const { session, signIn, isForAnother } = this.options.panel.state;
    const name = viewFor({
      session: session.get(),
      signIn: signIn.get(),
      isForAnother: isForAnother.get(),
    });
    // What follows "Starting…" is awaited.
    const isAwaited = this.shown === 'busy' && name !== 'busy';
    const { clock } = this.options;
    const at = clock.now() + (isAwaited ? 0 : waitMs);
    if (this.nextDrawing && at >= this.nextDrawing.at && !isAwaited) {
      return;
    }
    this.nextDrawing?.stop();
    const stop = clock.startTimer(isAwaited ? 0 : waitMs, () => {
      this.nextDrawing = null;
      this.draw();
    });
    this.nextDrawing = { at, stop };
  }

  private draw(): void {
    const { root } = this;
    if (!root) {
      return;
    }
    try {
      const state = this.read();
      const name = viewFor(state);
      const isOther = name !== this.shown;
      const byKeyboard = root.querySelector('.focused') !== null;
      const hadRemoval = this.state?.removal ?? null;
      if (isOther && this.shown !== null) {
        // A sign-in for one more scope leads back to what needed it.
        const isForScope = (this.state?.requestedScope ?? state.requestedScope) !== null;
        const { help, outcome, sheet, choosing } = this.ui;
        this.ui = { ...CLOSED, help, outcome, ...(isForScope && { sheet, choosing }) };
      }
      this.state = state;
      this.shown = name;
      this.render();
      const isRemoved = state.removal !== null && state.removal !== hadRemoval;
      // The control that was pressed may be gone. Keyboard users continue here, not at the top of the app.
      if (byKeyboard && (isRemoved || !root.querySelector('.focused'))) {
        this.focusNext(root);
      }
    } catch (error) {
      // A panel that cannot draw must not stop the work.
      this.reportError(error);
    }
  }

  private render(): void {
    const { root, state } = this;
    if (root && state) {
      const { isUnsupported } = this.options;
      render(<App context={this.context()} {...{ state, isUnsupported }} />, root);
    }
  }

  /** Moves the focus to the control that the user most likely needs next. */
  private focusNext(root: HTMLElement): void {
    const question: HTMLElement | null = root.querySelector('.question');
    if (question?.contains(document.activeElement)) {
      return;
    }
    for (const order of ['1', '2', '3']) {
      const frame: HTMLElement | null = root.querySelector(`[data-focus="${order}"]`);
      if (frame) {
        // A frame is no control itself, unless it is one that the style sheet draws.
        const control = frame.matches('.control') ? frame : (frame.firstChild as HTMLElement);
        control.focus();
        return;
      }
    }
  }

  private read(): PanelState {
    const now = this.options.clock.now();
    this.updateApproval();
    const stored = readStores(this.options.panel.state);
    const { photos, session } = stored;
    const listed = new Set(photos.map(({ record }) => record.id));
    const delivered = session.kind === 'signed-in' ? stored.delivered : [];
    return {
      ...stored,
      delivered,
      earlier: delivered.filter(({ id }) => !listed.has(id)),
      uploadedById: new Map(delivered.map((photo) => [photo.id, photo])),
      progress: this.meter.read(now),
      removal: this.readRemoval(now),
      justApproved: this.justApproved,
      now,
    };
  }

  /** The last removal, for some seconds. */
  private readRemoval(now: number): PanelState['removal'] {
    const { removal } = this.options.panel.state.uploadState.get();
    if (removal !== this.removal.value) {
      this.removal = { value: removal, at: now };
    }
    const since = now - this.removal.at;
    return since >= 0 && since < UNDO_MS ? removal : null;
  }

  /** After a sign-in in this panel, it confirms the connection until there are photos. */
  private updateApproval(): void {
    const { session, signIn, summary, isForAnother } = this.options.panel.state;
    const { waiting, uploading, uploaded, failed } = summary.get();
    if (signIn.get().kind === 'code') {
      this.sawCode = true;
    } else if (this.sawCode) {
      this.sawCode = false;
      this.justApproved = session.get().kind === 'signed-in' && !isForAnother.get();
    }
    if (session.get().kind !== 'signed-in' || waiting + uploading + uploaded + failed > 0) {
      this.justApproved = false;
    }
  }

  private context(): PanelContext {
    const { panel, clock, host, diagnostics } = this.options;
    return {
      ...panel.context,
      strings: this.strings,
      clock,
      host,
      diagnostics,
      ui: this.ui,
      change: (ui) => {
        this.change(ui);
      },
      disconnect: () => this.disconnect(),
      on: {
        beforePress: () => {
          this.beforePress();
        },
        onUnexpectedError: (error) => {
          this.reportError(error);
        },
      },
    };
  }

  /** An open menu closes before its entry acts, and the last outcome is out of date. */
  private beforePress(): void {
    const { layer, outcome, choosing } = this.ui;
    // The user does something else than what the permission was for.
    const isElsewhere = choosing !== null && this.shown === 'connected';
    if (!layer && !outcome && !isElsewhere) {
      return;
    }
    const isByKeyboard = this.root?.querySelector('.popover .focused') !== null;
    this.change({ layer: null, outcome: null, ...(isElsewhere && { choosing: null }) });
    if (layer && isByKeyboard) {
      layer.anchor.focus();
    }
  }
}

/** The values of all stores now. */
function readStores(stores: PanelStores): PanelParts['state'] {
  const values = Object.entries<Source<unknown>>(stores).map(([name, store]) => [
    name,
    store.get(),
  ]);
  return Object.fromEntries(values) as PanelParts['state'];
}
