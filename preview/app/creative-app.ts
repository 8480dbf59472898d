import type { CreativeAppPage } from '../../src/host/browser/creative-app.js';
import type { MenuItem } from '../../src/host/host.js';
import type { ExportedDocument, ExportFormat } from './export-document.js';
import type { Theme } from './options.js';

/** What the preview tells the plugin about the creative app around it: what the plugin asks for, and no less. */
interface CreativeApp extends Required<CreativeAppPage> {
  /** For the preview's own widgets. */
  readonly theme: Theme;
}

declare global {
  interface Window {
    /** In the panel's frame: read by the plugin. */
    creativeApp?: CreativeApp;
    /** In the app's page: called by the panel's frame. */
    exportOpenDocument?: (format: ExportFormat, quality: number) => Promise<ExportedDocument>;
    setPanelMenu?: (menu: readonly MenuItem[]) => void;
  }
}
