import type { CreativeAppPage } from '../../src/host/browser.js';
import type { ExportedDocument, ExportFormat } from './export-document.js';
import type { Theme } from './options.js';

/** An entry of the panel's menu, as the plugin gives it. */
export interface PanelMenuItem {
  readonly id: string;
  readonly label: string;
  onSelect(): void;
}

/** What a browser page tells the plugin about the creative app around it. */
export interface CreativeApp {
  readonly name: string;
  readonly version: string;
  /** Language and country, such as `de_DE`. */
  readonly uiLocale: string;
  readonly theme?: Theme;
  readonly exportFormats?: CreativeAppPage['exportFormats'];
  exportDocument?: CreativeAppPage['exportDocument'];
  /** Takes the entries of the panel's menu. */
  setMenu?(menu: readonly PanelMenuItem[]): void;
}

declare global {
  interface Window {
    /** In the panel's frame: read by the plugin. */
    creativeApp?: CreativeApp;
    /** In the app's page: called by the panel's frame. */
    exportOpenDocument?: (format: ExportFormat, quality: number) => Promise<ExportedDocument>;
    setPanelMenu?: (menu: readonly PanelMenuItem[]) => void;
  }
}
