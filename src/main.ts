import { detectHost } from './host/detect-host.js';
import { startPlugin } from './plugin.js';
import { builtInSettings } from './config.js';

// All of this runs while the script loads, because the host wants its entry points set up at once.
const settings = builtInSettings();
startPlugin(detectHost(settings.pluginVersion), settings);
