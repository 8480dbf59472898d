import type { Clock } from '../base/clock.js';
import { element, replaceChildren } from './dom.js';
import type { Strings } from './strings/strings.js';
import type { Intents, PanelSources, PanelState, View, ViewContext } from './view.js';
import { busyView } from './views/busy.js';
import { codeView } from './views/code.js';
import { connectedView } from './views/connected.js';
import { welcomeView } from './views/welcome.js';

export interface PanelOptions {
  readonly sources: PanelSources;
  readonly intents: Intents;
  readonly strings: Strings;
  readonly clock: Clock;
  readonly onFault: (fault: unknown) => void;
}

type ViewName = 'busy' | 'welcome' | 'code' | 'connected';

/** Changes within this time are drawn together, in milliseconds. */
const DRAW_EVERY_MS = 50;
/** Texts that count time are drawn anew this often, in milliseconds. */
const TICK_MS = 1_000;

/** The panel: draws whatever the sources say, as often as they change, and passes on what the person asks for. */
export class Panel {
  private root: HTMLElement | null = null;
  private view: View | null = null;
  private shown: ViewName | null = null;
  private drawPending = false;

  constructor(private readonly options: PanelOptions) {
    const { session, signIn, queue, uploader, summary } = options.sources;
    for (const source of [session, signIn, queue, uploader, summary])
      source.subscribe(() => {
        this.drawSoon();
      });
    this.tick();
  }

  /** Draws into `parent` at once. May be called again, with the same parent or another. */
  show(parent: HTMLElement): void {
    this.root?.remove();
    this.root = element('div', { class: 'panel' });
    parent.appendChild(this.root);
    this.shown = null;
    this.draw();
  }

  private tick(): void {
    this.options.clock.startTimer(TICK_MS, () => {
      this.tick();
      try {
        const { signIn, queue } = this.options.sources;
        if (signIn.get().kind === 'code' || queue.get().kind === 'waiting') this.drawSoon();
      } catch (fault) {
        this.options.onFault(fault);
      }
    });
  }

  private drawSoon(): void {
    if (this.drawPending) return;
    this.drawPending = true;
    this.options.clock.startTimer(DRAW_EVERY_MS, () => {
      this.drawPending = false;
      this.draw();
    });
  }

  private draw(): void {
    if (!this.root) return;
    try {
      const state = this.state();
      const name = viewFor(state);
      if (name !== this.shown || !this.view) {
        this.view = VIEWS[name](this.context());
        this.shown = name;
        replaceChildren(this.root, [this.view.root]);
      }
      this.view.update(state);
    } catch (fault) {
      // A panel that cannot draw must not take the work down with it.
      this.options.onFault(fault);
    }
  }

  private state(): PanelState {
    const { session, signIn, queue, uploader, summary } = this.options.sources;
    return {
      session: session.get(),
      signIn: signIn.get(),
      queue: queue.get(),
      uploader: uploader.get(),
      summary: summary.get(),
      now: this.options.clock.now(),
    };
  }

  private context(): ViewContext {
    const { strings, intents, clock, onFault, sources } = this.options;
    return {
      strings,
      intents,
      clock,
      onFault,
      photos: (start, count) => sources.photos(start, count),
    };
  }
}

const VIEWS: Readonly<Record<ViewName, (context: ViewContext) => View>> = {
  busy: busyView,
  welcome: welcomeView,
  code: codeView,
  connected: connectedView,
};

function viewFor({ session, signIn }: PanelState): ViewName {
  if (signIn.kind === 'code') return 'code';
  if (signIn.kind === 'requesting' || session.kind === 'loading') return 'busy';
  return session.kind === 'signed-in' ? 'connected' : 'welcome';
}
