import { detectHost } from './host/detect.js';
import { startPlugin } from './plugin.js';
import { builtInSettings } from './settings.js';

// The script's first and only act: the host wants its entry points set up at once.
const settings = builtInSettings();
startPlugin(detectHost(settings.pluginVersion), settings);
