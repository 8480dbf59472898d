import type { Clock } from '../base/clock.js';
import { toCwError } from '../base/errors.js';
import type { ExportOffer, HostInfo } from '../host/host.js';
import { block, button, setShown } from './dom.js';
import { ProgressMeter } from './progress.js';
import type { Language } from './strings/language.js';
import type { Strings } from './strings/strings.js';
import type { Intents, PanelSources, PanelState, View, ViewContext } from './view.js';
import { busyView } from './views/busy.js';
import { codeView } from './views/code.js';
import { connectedView, type ConnectedView } from './views/connected.js';
import { helpSection, type HelpSection } from './views/help.js';
import { notice, type Notice } from './views/notice.js';
import { tooOldView } from './views/too-old.js';
import { welcomeView } from './views/welcome.js';

export interface PanelOptions {
  readonly sources: PanelSources;
  readonly intents: Intents;
  readonly strings: Strings;
  /** The language of `strings`: what reads the panel aloud has to know it. */
  readonly language: Language;
  readonly clock: Clock;
  readonly host: HostInfo;
  /** The ways in which the app can hand over what is open in it. */
  readonly exportOffers: readonly ExportOffer[];
  /** The app lacks what the plugin needs: the panel says that and nothing else. */
  readonly isTooOld: boolean;
  /** The text for support, as things stand: what `copyDiagnostics` copies. */
  readonly diagnostics: () => string;
  readonly onFault: (fault: unknown) => void;
}

type ViewName = 'tooOld' | 'busy' | 'welcome' | 'code' | 'connected';

/** Changes within this time are drawn together, in milliseconds. */
const DRAW_EVERY_MS = 80;
/** Texts that count time are drawn anew this often, in milliseconds. */
const TICK_MS = 1_000;

/** The panel: draws whatever the sources say, as often as they change, and passes on what the person asks for. */
export class Panel {
  private root: HTMLElement | null = null;
  private views: (Readonly<Record<ViewName, View>> & { readonly connected: ConnectedView }) | null =
    null;
  private help: HelpSection | null = null;
  private shown: ViewName | null = null;
  /** What went wrong after the person's last press, if anything did. */
  private readonly outcome: Notice;
  private drawPending = false;
  private sawCode = false;
  private justApproved = false;
  private readonly meter = new ProgressMeter();

  constructor(private readonly options: PanelOptions) {
    const { session, account, signIn, queue, uploader, summary, history } = options.sources;
    this.outcome = notice(options.strings);
    const measure = (): void => {
      this.meter.observe(summary.get(), uploader.get().adding !== null);
    };
    measure();
    summary.subscribe(measure);
    for (const source of [session, account, signIn, queue, uploader, summary, history]) {
      source.subscribe(() => {
        this.drawSoon();
      });
    }
    this.tick();
  }

  /** Draws into `parent` at once. May be called again, with the same parent or another. */
  show(parent: HTMLElement): void {
    this.root?.remove();
    this.shown = null;
    // All views are made at once and shown in turn: what is added to a panel later may be missing from
    // the order in which the host's Tab key goes (known issues page).
    const context = this.context();
    this.views = {
      tooOld: tooOldView(context),
      busy: busyView(context),
      welcome: welcomeView(context),
      code: codeView(context),
      connected: connectedView(context),
    };
    for (const { root } of Object.values(this.views)) {
      setShown(root, false);
    }
    this.help = helpSection(context);
    this.root = block('panel', [
      ...Object.values(this.views).map(({ root }) => root),
      this.help.root,
    ]);
    this.root.setAttribute('lang', this.options.language);
    parent.appendChild(this.root);
    this.draw();
  }

  /** The person wants to disconnect, by the panel's menu: like the button does. */
  disconnect(): void | Promise<void> {
    return this.shown === 'connected' && this.views
      ? this.views.connected.disconnect()
      : this.options.intents.disconnect();
  }

  /** Copies the diagnostics, by the panel's menu, and says so; what the clipboard refuses is shown instead. */
  async copyDiagnostics(): Promise<void> {
    const { intents, strings } = this.options;
    try {
      await intents.copyDiagnostics();
    } catch (fault) {
      this.help?.showDiagnostics();
      throw fault;
    }
    this.say(strings.copied);
  }

  /** Says a word at the bottom of the panel, where it moves no button, until the next press. */
  private say(text: string): void {
    this.place(null);
    this.outcome.say(text);
  }

  /** Says what went wrong: below the row of the button it began with, or at the bottom of the panel. */
  fault(fault: unknown, frame?: HTMLElement): void {
    const { strings, onFault } = this.options;
    onFault(fault);
    // A photo's row has no place for it.
    const hasNoPlace = !frame || Boolean(frame.closest('.photos'));
    this.place(hasNoPlace ? null : frame.parentElement);
    this.outcome.error(strings.faultTitle, toCwError(fault, 'CW-901', 'a fault of the plugin'));
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
        const { signIn, queue, summary } = this.options.sources;
        if (
          signIn.get().kind === 'code' ||
          signIn.get().kind === 'requesting' ||
          queue.get().kind === 'waiting' ||
          summary.get().uploading > 0
        ) {
          this.drawSoon();
        }
      } catch (fault) {
        this.fault(fault);
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
      const name = this.options.isTooOld ? 'tooOld' : viewFor(state);
      const view = this.views[name];
      const before = this.shown === null ? null : this.views[this.shown];
      const byKeyboard = before !== null && showsFocus(before.root);
      view.update(state);
      this.help?.update(state);
      if (view !== before) {
        this.shown = name;
        setShown(view.root, true);
        if (before) {
          // A view is shown from its beginning: the code stands there, and the button for a new code at the end. The first
          // one is there already, and saying so would lay the panel out once more before it is drawn.
          view.root.scrollTop = 0;
          setShown(before.root, false);
        }
        before?.leave?.();
      }
      // The button that was pressed may have gone. Somebody who works by keyboard goes on here, not at the top of the app.
      if (byKeyboard && !showsFocus(view.root)) {
        view.focus?.();
      }
    } catch (fault) {
      // A panel that cannot draw must not take the work down with it.
      this.fault(fault);
    }
  }

  private state(): PanelState {
    const { sources } = this.options;
    const { session, account, signIn, queue, uploader, summary, history } = sources;
    const now = this.options.clock.now();
    this.noteApproval();
    return {
      session: session.get(),
      account: account.get(),
      signIn: signIn.get(),
      isForAnother: sources.isForAnother(),
      queue: queue.get(),
      uploader: uploader.get(),
      summary: summary.get(),
      history: history.get(),
      progress: this.meter.read(now),
      justApproved: this.justApproved,
      now,
    };
  }

  /** The person saw the sign-in, and now there is a session: the panel says so until there are photos. */
  private noteApproval(): void {
    const { session, signIn, summary, isForAnother } = this.options.sources;
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
    const { strings, intents, clock, sources, host, exportOffers, diagnostics } = this.options;
    const onFault = (fault: unknown, frame?: HTMLElement): void => {
      this.fault(fault, frame);
    };
    return {
      strings,
      intents,
      clock,
      host,
      exportOffers,
      onFault,
      button: (kind, label, onClick) =>
        button(
          kind,
          label,
          () => {
            this.outcome.hide();
            return onClick();
          },
          onFault,
        ),
      photos: () => sources.photos(0, Infinity),
      delivered: () => sources.delivered(),
      diagnostics,
    };
  }
}

/** Whether a button in sight shows the keyboard focus. */
function showsFocus(root: HTMLElement): boolean {
  const hidden = '.focused[style*="none"], [style*="none"] .focused';
  return root.querySelectorAll('.focused').length > root.querySelectorAll(hidden).length;
}

function viewFor({ session, signIn, isForAnother }: PanelState): ViewName {
  // A sign-in that has just succeeded still shows its code for a moment: the session counts first.
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
