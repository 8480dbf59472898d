/** What the second script exports. */
export interface PluginScript {
  /** Starts the plugin. Must be called once. */
  start(mountPanel: MountPanel): void;
}

/** A browser's window, where a script has no exports. */
export interface PluginPage {
  creativeWorkspace?: PluginScript;
}

/**
 * Gives the panel and the commands to the host. Is called once, while the plugin starts.
 * @param commands  those that the app's manifest does not have are left out
 */
export type MountPanel = (panel: PanelEntry, commands: readonly CommandEntry[]) => void;

/** The panel that the plugin gives the host. Its methods return at once: the host allows 300 ms. */
export interface PanelEntry {
  /** The panel's own menu (flyout), in order. */
  readonly menu: readonly MenuItem[];
  show(root: HTMLElement): void;
}

/** A command in the app's menu of plugins. */
export interface CommandEntry {
  /** As in the manifest, which also has its label. */
  readonly id: CommandId;
  /** Settles when the command is done; never rejects. */
  run(): Promise<void>;
}

export type CommandId = 'uploadDocument' | 'uploadAllDocuments';

/** An entry of a panel's menu. */
export interface MenuItem {
  /** Unique in the menu. */
  readonly id: string;
  /** The label at first. */
  readonly label: string;
  /** Returns at once and never throws. */
  onSelect(): void;
  /** Called by a host that can change labels: `use` is then called with every later label. */
  onRelabel?(use: (label: string) => void): void;
}
