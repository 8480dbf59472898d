import type {
  CreativeAppPage,
  PageDocument,
  PageExportable,
  PagePlacing,
} from '../../src/host/browser/creative-app.js';
import type { DocumentComments } from '../../src/host/document-comments.js';
import type { ExportSettings, ExportTarget } from '../../src/host/document-export.js';
import type { MenuItem } from '../../src/host/panel-entry.js';
import type { ExportedDocument } from './export-document.js';

/** The creative app around the plugin, as the preview simulates it: everything that the plugin may read. */
type CreativeApp = Required<Omit<CreativeAppPage, 'comments' | 'placing'>> &
  Pick<CreativeAppPage, 'comments' | 'placing'>;

declare global {
  interface Window {
    /** In the panel's frame: read by the plugin. */
    creativeApp?: CreativeApp;
    /** In the app's page: called by the panel's frame. Null for a document that is not open. */
    exportOpenDocument?: (
      settings: ExportSettings,
      target: ExportTarget,
    ) => Promise<ExportedDocument | null>;
    /** In the app's page: called by the panel's frame for the document in front. */
    readOpenDocument?: () => PageDocument;
    /** In the app's page: called by the panel's frame for all open documents. */
    readDocuments?: () => readonly PageExportable[];
    /** In the app's page: the files that are placed in its document, used by the panel's frame. */
    placedPictures?: PagePlacing;
    /** In the app's page: the comments in its document, used by the panel's frame. */
    documentComments?: DocumentComments;
    /** In the app's page: called by the panel's frame to show the entries of the panel's menu. */
    setPanelMenu?: (menu: readonly MenuItem[]) => void;
  }
}
