import { builtInSettings } from './config.js';
import { detectHost } from './host/detect-host.js';
import type { PluginPage, PluginScript } from './host/panel-entry.js';
import { startPlugin } from './plugin.js';

/** The second script: everything but the shell (`shell.ts`), which starts it. */
const script: PluginScript = {
  start: (mountPanel) => {
    const settings = builtInSettings();
    startPlugin(detectHost(settings.pluginVersion), settings, mountPanel);
  },
};

if (typeof module === 'object') {
  module.exports = script;
} else {
  Object.assign(window as PluginPage, { creativeWorkspace: script });
}
