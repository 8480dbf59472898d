import type { MenuItem } from '../panel-entry.js';
import { PluginLoader, type PluginLoaderOptions } from '../plugin-loader.js';
import type { CreativeAppPage } from './creative-app.js';

/** Shows the plugin in a page of a browser, and gives its menu to the page. */
export function showInPage(
  body: HTMLElement,
  page: CreativeAppPage | undefined,
  options: Omit<PluginLoaderOptions, 'onMount'>,
): void {
  const loader = new PluginLoader({
    ...options,
    onMount: ({ menu }) => {
      showMenu(menu, page);
    },
  });
  loader.show(body);
}

/** Gives the page the panel's menu, at once and after each change of a label. */
function showMenu(menu: readonly MenuItem[], page: CreativeAppPage | undefined): void {
  const labels = new Map<string, string>();
  const setMenu = (): void => {
    page?.setMenu?.(menu.map((item) => ({ ...item, label: labels.get(item.id) ?? item.label })));
  };
  setMenu();
  for (const item of menu) {
    item.onRelabel?.((label) => {
      labels.set(item.id, label);
      setMenu();
    });
  }
}
