import type { CreativeAppPage, PageDocument } from '../../src/host/browser/creative-app.js';
import type { MenuItem } from '../../src/host/host.js';
import type { ExportedDocument, ExportFormat } from './export-document.js';

/** What the preview tells the plugin about the creative app around it: everything that the plugin may ask for. */
type CreativeApp = Required<CreativeAppPage>;

declare global {
  interface Window {
    /** In the panel's frame: read by the plugin. */
    creativeApp?: CreativeApp;
    /** In the app's page: called by the panel's frame. `quality` is for JPEG: 0 to 12. */
    exportOpenDocument?: (format: ExportFormat, quality: number) => Promise<ExportedDocument>;
    /** In the app's page: called by the panel's frame for the document in front. */
    readOpenDocument?: () => PageDocument;
    /** In the app's page: called by the panel's frame to show the entries of the panel's menu. */
    setPanelMenu?: (menu: readonly MenuItem[]) => void;
  }
}
