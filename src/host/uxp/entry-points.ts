import type { CommandId } from '../panel-entry.js';
import { PluginLoader, type PluginLoaderOptions } from '../plugin-loader.js';
import type { UxpModule } from './uxp-module.js';

export interface EntryPoints extends Omit<PluginLoaderOptions, 'onMount'> {
  /** As in the manifest. */
  readonly panelId: string;
  /** The entries of the panel's menu, with their first labels. */
  readonly menu: readonly { readonly id: string; readonly label: string }[];
  readonly commands: readonly CommandId[];
}

/**
 * Registers the panel and the commands with the host. Must be called while the first script runs. Later it changes the
 * menu's labels on the plugin's request.
 */
export function registerEntryPoints(
  { entrypoints }: Pick<UxpModule, 'entrypoints'>,
  { panelId, menu, commands, ...options }: EntryPoints,
): void {
  const loader = new PluginLoader({
    ...options,
    onMount: (panel) => {
      for (const item of panel.menu) {
        item.onRelabel?.((label) => {
          const shown = entrypoints.getPanel(panelId)?.menuItems.getItem(item.id);
          if (shown) {
            shown.label = label;
          }
        });
      }
    },
  });
  entrypoints.setup({
    commands: Object.fromEntries(commands.map((id) => [id, () => loader.run(id)])),
    panels: {
      [panelId]: {
        create: (root) => {
          loader.show(root);
        },
        menuItems: menu,
        invokeMenu: (id) => {
          loader.choose(id);
        },
      },
    },
  });
}
