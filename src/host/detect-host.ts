import { createBrowserHost } from './browser.js';
import type { CreativeAppPage } from './browser/creative-app.js';
import type { DrawingGlobals } from './browser/picture-scaler.js';
import type { Host } from './host.js';
import type { Xhr } from './http.js';
import { createUxpHost } from './uxp.js';
import type { InDesignModule } from './uxp/indesign-module.js';
import type { PhotoshopModule } from './uxp/photoshop-module.js';
import type { PremiereModule } from './uxp/premiere-module.js';
import type { UxpFs, UxpModule, UxpOs } from './uxp/uxp-module.js';
import type { UxpModules } from './uxp/modules.js';

/** The part of `window` that both hosts use. */
interface EventSource {
  addEventListener(event: string, listener: () => void): void;
}

/** Builds the host this script runs in: UXP where there is a `require`, a browser page otherwise. */
export function detectHost(pluginVersion: string): Host {
  const createXhr = (): Xhr => new XMLHttpRequest() as unknown as Xhr;
  const writeClipboard = (text: string): Promise<unknown> =>
    Promise.resolve(navigator.clipboard.writeText(text));
  const listen = (event: string, listener: () => void): void => {
    (window as EventSource).addEventListener(event, () => {
      listener();
    });
  };
  if (typeof require === 'function') {
    return createUxpHost(uxpModules(), { createXhr, writeClipboard, listen });
  }
  const page = window as {
    readonly creativeApp?: CreativeAppPage;
    open(url: string, target: string, features: string): unknown;
  } & Partial<DrawingGlobals>;
  const { createImageBitmap, OffscreenCanvas } = page;
  return createBrowserHost(
    {
      creativeApp: page.creativeApp,
      language: navigator.language,
      body: document.body,
      drawing: createImageBitmap &&
        OffscreenCanvas && {
          createImageBitmap: (blob, options) => createImageBitmap(blob, options),
          OffscreenCanvas,
        },
      createXhr,
      openWindow: (url) => page.open(url, '_blank', 'noopener'),
      writeClipboard,
      listen,
    },
    pluginVersion,
  );
}

/** The modules that every app has, and this app's own. Requiring the module of another app would be an error. */
function uxpModules(): UxpModules {
  const uxp = require('uxp') as UxpModule;
  const fs = require('fs') as UxpFs;
  const os = require('os') as UxpOs;
  const app = uxp.host.name;
  if (/photoshop/i.test(app)) {
    return { uxp, fs, os, photoshop: require('photoshop') as PhotoshopModule };
  }
  if (/indesign/i.test(app)) {
    return { uxp, fs, os, indesign: require('indesign') as InDesignModule };
  }
  if (/premiere/i.test(app)) {
    return { uxp, fs, os, premierepro: require('premierepro') as PremiereModule };
  }
  return { uxp, fs, os };
}
