import type { Clock } from '../util/clock.js';
import type { CommandEntry, CommandId, PanelEntry, PluginScript } from './panel-entry.js';

export interface PluginLoaderOptions {
  /** Loads the second script. May call back before it returns. @throws {unknown} when the host cannot load it */
  readonly load: (
    onLoad: (script: PluginScript) => void,
    onError: (error: unknown) => void,
  ) => void;
  /** Draws what is shown without the plugin; again after it could not be loaded. */
  readonly drawShell: (root: HTMLElement, hasFailed: boolean) => void;
  /** Called once, when the plugin is there. */
  readonly onMount: (panel: PanelEntry) => void;
  readonly clock: Clock;
}

/** Without a panel on the screen the plugin is loaded after this time, in milliseconds. */
const LOAD_UNSEEN_MS = 100;

/** Loads the plugin after the panel has been painted once, because its script takes longer than the first picture may. */
export class PluginLoader {
  private root: HTMLElement | null = null;
  private isLoading = false;
  private hasFailed = false;
  private panel: PanelEntry | null = null;
  private commands: readonly CommandEntry[] = [];

  constructor(private readonly options: PluginLoaderOptions) {
    // A folder is watched and uploads continue while the panel is closed.
    options.clock.startTimer(LOAD_UNSEEN_MS, () => {
      this.load();
    });
  }

  /** Shows the plugin in a panel, or the shell until it is there. */
  show(root: HTMLElement): void {
    this.root = root;
    this.draw();
    // The host paints when this call is over.
    this.options.clock.startTimer(0, () => {
      this.load();
    });
  }

  /** Runs a command. The plugin is loaded for it at once. */
  async run(id: CommandId): Promise<void> {
    this.load();
    await this.commands.find((command) => command.id === id)?.run();
  }

  /** Chooses an entry of the panel's menu. Returns at once; the plugin is loaded for it. */
  choose(id: string): void {
    const select = (): void => {
      this.load();
      this.panel?.menu.find((item) => item.id === id)?.onSelect();
    };
    if (this.panel) {
      select();
    } else {
      this.options.clock.startTimer(0, select);
    }
  }

  private load(): void {
    if (this.isLoading) {
      return;
    }
    this.isLoading = true;
    const onError = (error: unknown): void => {
      this.fail(error);
    };
    try {
      this.options.load((script) => {
        this.start(script);
      }, onError);
    } catch (error) {
      onError(error);
    }
  }

  private start(script: PluginScript): void {
    try {
      script.start((panel, commands) => {
        this.panel = panel;
        this.commands = commands;
        this.options.onMount(panel);
        this.draw();
      });
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    console.error(`CW-902: the plugin could not be loaded: ${String(error)}`);
    this.hasFailed = true;
    this.draw();
  }

  private draw(): void {
    const { root, panel } = this;
    if (!root) {
      return;
    }
    if (panel) {
      panel.show(root);
    } else {
      this.options.drawShell(root, this.hasFailed);
    }
  }
}
