import { createBrowserHost, type CreativeAppPage } from './browser.js';
import type { Host } from './host.js';
import type { Xhr } from './http.js';
import { createUxpHost } from './uxp.js';
import type { PhotoshopModule, UxpFs, UxpModule } from './uxp/modules.js';

/** Builds the host this script runs in: UXP where there is a `require`, a browser page otherwise. */
export function detectHost(pluginVersion: string): Host {
  const createXhr = (): Xhr => new XMLHttpRequest() as unknown as Xhr;
  const writeClipboard = (text: string): Promise<unknown> =>
    Promise.resolve(navigator.clipboard.writeText(text));
  if (typeof require === 'function') {
    const uxp = require('uxp') as UxpModule;
    const fs = require('fs') as UxpFs;
    // Other creative apps have no module of this name, and asking for it would be an error there.
    const isPhotoshop = /photoshop/i.test(uxp.host.name);
    const modules = isPhotoshop
      ? { uxp, fs, photoshop: require('photoshop') as PhotoshopModule }
      : { uxp, fs };
    return createUxpHost(modules, { createXhr, writeClipboard });
  }
  const page = window as {
    readonly creativeApp?: CreativeAppPage;
    open(url: string, target: string, features: string): unknown;
  };
  return createBrowserHost(
    {
      creativeApp: page.creativeApp,
      language: navigator.language,
      body: document.body,
      createXhr,
      openWindow: (url) => page.open(url, '_blank', 'noopener'),
      writeClipboard,
    },
    pluginVersion,
  );
}
