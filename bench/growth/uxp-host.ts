import type { Host } from '../../src/host/host.js';
import type { Xhr } from '../../src/host/http.js';
import { createUxpHost } from '../../src/host/uxp.js';
import { createHostModules } from '../../test/host/modules/index.js';

/** The plugin's UXP host over the simulated modules; another on the same folder is a restart. */
export function openUxpHost(
  storageDir: string,
  createXhr: () => Xhr = () => {
    throw new Error('no network here');
  },
): { readonly host: Host; pick(path: string): void; end(): void } {
  const modules = createHostModules({ storageDir, uxpVersion: '8.4.0' });
  const host = createUxpHost(modules, {
    createXhr,
    writeClipboard: () => Promise.resolve(),
    listen: () => undefined,
  });
  return {
    host,
    pick: (path) => {
      modules.control.pickers.answer([path]);
    },
    end: () => {
      modules.control.end();
    },
  };
}
