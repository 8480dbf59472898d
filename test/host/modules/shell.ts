import type { Lifetime } from './lifetime.js';

/** One call of openExternal or openPath that reached the consent dialog. */
interface ShellCall {
  readonly target: string;
  /** The text the plugin shows in the consent dialog. */
  readonly developerText: string | undefined;
  /** Whether the user allowed it. */
  readonly allowed: boolean;
}

/** The user and the system behind `shell`. */
export interface ShellControl {
  /** Whether the user allows the next openings. Default: yes. */
  allow: boolean;
  /** When set, opening fails with this text although the user allowed it. */
  systemError: string | undefined;
  /** Every prompt to open something, in order. Requests without permission get no prompt. */
  readonly calls: ShellCall[];
  /** Called with each address that really opens in the browser. */
  onOpen: ((url: string) => void) | undefined;
}

/** `require('uxp').shell`: exactly the members of its page. */
export interface Shell {
  openExternal(url: string, developerText?: string): Promise<string>;
  openPath(path: string, developerText?: string): Promise<string>;
}

/**
 * @param permissions `requiredPermissions.launchProcess` of the manifest
 * @param onDialog called when the consent dialog opens
 */
export function createShell(
  permissions: { readonly schemes: readonly string[]; readonly extensions: readonly string[] },
  lifetime: Lifetime,
  onDialog: () => void,
): { shell: Shell; control: ShellControl } {
  const control: ShellControl = {
    allow: true,
    systemError: undefined,
    calls: [],
    onOpen: undefined,
  };

  const open = (target: string, developerText: string | undefined): string => {
    control.calls.push({ target, developerText, allowed: control.allow });
    if (!control.allow) return 'User denied permission';
    if (control.systemError !== undefined) return control.systemError;
    control.onOpen?.(target);
    return '';
  };

  const shell: Shell = {
    openExternal(url, developerText) {
      const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
      const refusal =
        scheme === undefined
          ? 'Invalid url'
          : scheme === 'file'
            ? 'The scheme file: is not allowed'
            : permissions.schemes.includes(scheme)
              ? undefined
              : `Permission denied: scheme "${scheme}" is not in launchProcess.schemes of the manifest`;
      if (refusal === undefined) onDialog();
      return lifetime.call(() => refusal ?? open(url, developerText));
    },
    openPath(path, developerText) {
      const extension = /\.[^./\\]+$/.exec(path)?.[0] ?? '';
      const refusal = permissions.extensions.includes(extension)
        ? undefined
        : `Permission denied: extension "${extension}" is not in launchProcess.extensions of the manifest`;
      if (refusal === undefined) onDialog();
      return lifetime.call(() => refusal ?? open(path, developerText));
    },
  };
  return { shell, control };
}
