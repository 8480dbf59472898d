import type { Realm } from './realm.js';

/** The argument of `entrypoints.setup`, checked for its shape only. */
interface EntrypointsDefinition {
  readonly plugin?: unknown;
  readonly panels?: Readonly<Record<string, unknown>>;
  readonly commands?: Readonly<Record<string, unknown>>;
}

/** One entry of a panel's menu (flyout). */
interface MenuItem {
  readonly id: string;
  label: string;
  enabled: boolean;
  checked: boolean;
  readonly submenu: readonly MenuItem[];
}

/** An entry point of the manifest, as far as entrypoints.setup is held against it. */
export interface DeclaredEntrypoint {
  readonly type: 'panel' | 'command';
  readonly id: string;
  readonly label: string;
}

export interface EntrypointsControl {
  /** The argument of setup; undefined before. */
  readonly definition: EntrypointsDefinition | undefined;
  /** The host calls this when the start-up scripts have run: a later setup is an error. */
  startupOver(): void;
  /** The menu of a panel, as the plugin gave it. */
  menu(panelId: string): readonly MenuItem[];
}

/** `UxpPanelInfo`, and `UxpMenuItems` over the live menu. */
interface PanelInfo {
  readonly id: string;
  readonly label: string;
  readonly title: string;
  readonly menuItems: {
    readonly size: number;
    getItem(id: string): MenuItem | null;
    getItemAt(index: number): MenuItem | null;
    insertAt(
      index: number,
      item: { id?: string; label: string; enabled?: boolean; checked?: boolean },
    ): void;
    removeAt(index: number): void;
  };
}

/** `require('uxp').entrypoints`: exactly the members of its page. */
export interface Entrypoints {
  setup(definition: EntrypointsDefinition): void;
  getPanel(id: string): PanelInfo | null;
  getCommand(id: string): object | null;
}

/**
 * @param declared the manifest's entry points; undefined checks no ids (unit tests without a manifest)
 */
export function createEntrypoints(
  realm: Realm,
  declared: readonly DeclaredEntrypoint[] | undefined,
): { entrypoints: Entrypoints; control: EntrypointsControl } {
  class EntryPointsError extends realm.Error {
    override name = 'EntryPointsError';
  }
  let definition: EntrypointsDefinition | undefined;
  let starting = true;
  const menus = new Map<string, MenuItem[]>();

  const check = (given: EntrypointsDefinition): void => {
    for (const key of Object.keys(given)) {
      if (!['plugin', 'panels', 'commands'].includes(key))
        throw new EntryPointsError(`unknown key "${key}"`);
    }
    const { plugin } = given;
    if (plugin !== undefined && typeof plugin !== 'function') {
      checkMethods('plugin', plugin, ['create', 'destroy']);
      if (!isObject(plugin) || typeof plugin['create'] !== 'function') {
        throw new EntryPointsError('plugin needs a create function');
      }
    }
    for (const [id, panel] of Object.entries(given.panels ?? {})) {
      checkDeclared('panel', id);
      if (typeof panel === 'function') continue;
      checkMethods(
        `panel ${id}`,
        panel,
        ['create', 'show', 'hide', 'destroy', 'invokeMenu'],
        ['menuItems'],
      );
      if (
        !isObject(panel) ||
        !['create', 'show'].some((name) => typeof panel[name] === 'function')
      ) {
        throw new EntryPointsError(`panel ${id} needs a create or a show function`);
      }
      menus.set(id, menuOf(id, panel['menuItems']));
    }
    for (const [id, command] of Object.entries(given.commands ?? {})) {
      checkDeclared('command', id);
      if (typeof command === 'function') continue;
      checkMethods(`command ${id}`, command, ['run', 'cancel']);
      if (!isObject(command) || typeof command['run'] !== 'function') {
        throw new EntryPointsError(`command ${id} needs a run function`);
      }
    }
  };
  const checkDeclared = (type: 'panel' | 'command', id: string): void => {
    if (
      declared !== undefined &&
      !declared.some((entry) => entry.type === type && entry.id === id)
    ) {
      throw new EntryPointsError(`the manifest has no ${type} "${id}"`);
    }
  };
  const checkMethods = (
    what: string,
    value: unknown,
    methods: string[],
    data: string[] = [],
  ): void => {
    if (!isObject(value)) throw new EntryPointsError(`${what} must be an object or a function`);
    for (const [key, member] of Object.entries(value)) {
      if (data.includes(key)) continue;
      if (!methods.includes(key)) throw new EntryPointsError(`${what} has an unknown key "${key}"`);
      if (member !== undefined && typeof member !== 'function') {
        throw new EntryPointsError(`${what}: ${key} must be a function`);
      }
    }
  };
  const menuOf = (panelId: string, items: unknown): MenuItem[] => {
    if (items === undefined) return [];
    if (!Array.isArray(items))
      throw new EntryPointsError(`panel ${panelId}: menuItems must be an array`);
    const ids = new Set<string>();
    const build = (list: readonly unknown[]): MenuItem[] =>
      list.map((item) => {
        if (typeof item === 'string') {
          return { id: '', label: item, enabled: true, checked: false, submenu: [] };
        }
        if (!isObject(item) || typeof item['label'] !== 'string') {
          throw new EntryPointsError(`panel ${panelId}: a menu item needs a label`);
        }
        const id = typeof item['id'] === 'string' ? item['id'] : '';
        if (id !== '' && ids.has(id))
          throw new EntryPointsError(`panel ${panelId}: menu id "${id}" twice`);
        ids.add(id);
        return {
          id,
          label: item['label'],
          enabled: item['enabled'] !== false,
          checked: item['checked'] === true,
          submenu: Array.isArray(item['submenu']) ? build(item['submenu'] as unknown[]) : [],
        };
      });
    return build(items as unknown[]);
  };

  const entrypoints: Entrypoints = {
    setup(given) {
      if (definition !== undefined)
        throw new EntryPointsError('entrypoints.setup was called twice');
      if (!starting)
        throw new EntryPointsError(
          'entrypoints.setup was called too late: it must run at once at start',
        );
      if (!isObject(given)) throw new EntryPointsError('entrypoints.setup needs an object');
      check(given);
      definition = given;
    },
    getPanel(id) {
      const panel = declared?.find((entry) => entry.type === 'panel' && entry.id === id);
      if (panel === undefined) return null;
      return {
        id,
        label: panel.label,
        title: panel.label,
        menuItems: menuItemsOf(menus.get(id) ?? []),
      };
    },
    getCommand(id) {
      const command = declared?.find((entry) => entry.type === 'command' && entry.id === id);
      return command === undefined ? null : { id, label: command.label, isManifestCommand: true };
    },
  };
  return {
    entrypoints,
    control: {
      get definition() {
        return definition;
      },
      startupOver: () => {
        starting = false;
      },
      menu: (panelId) => menus.get(panelId) ?? [],
    },
  };
}

function menuItemsOf(menu: MenuItem[]): PanelInfo['menuItems'] {
  return {
    get size() {
      return menu.length;
    },
    getItem: (id: string) => menu.find((item) => item.id === id) ?? null,
    getItemAt: (index: number) => menu[index] ?? null,
    insertAt: (
      index: number,
      item: { id?: string; label: string; enabled?: boolean; checked?: boolean },
    ) => {
      const { id = '', label, enabled = true, checked = false } = item;
      menu.splice(index, 0, { id, label, enabled, checked, submenu: [] });
    },
    removeAt: (index: number) => {
      menu.splice(index, 1);
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
