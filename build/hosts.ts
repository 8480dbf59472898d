/** A creative app that the plugin is offered for. */
export interface HostApp {
  /** The manifest's code of the app. */
  readonly app: 'PS' | 'ID' | 'premierepro';
  /** The app's name for people. */
  readonly name: string;
  /** The oldest version that may load the plugin, as x.y.z. */
  readonly minVersion: string;
  /** Why this version is the oldest. */
  readonly reason: string;
  /** What only this app gets from the manifest (`host.data`). */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Whether the manifest has the commands for this app: each uploads documents. */
  readonly hasCommands?: boolean;
}

/** The app whose manifest dist/ gets, for the developer tool. */
export const photoshop: HostApp = {
  app: 'PS',
  name: 'Adobe Photoshop',
  minVersion: '26.9.0',
  reason: 'UXP 8.4, the first that drops the Authorization header on a redirect to another origin',
  // `startup`: documents are uploaded on save before the panel was opened. Recording: the commands become steps of Actions.
  data: { apiVersion: 2, loadEvent: 'startup', enableMenuRecording: true },
  hasCommands: true,
};

const indesign: HostApp = {
  app: 'ID',
  name: 'Adobe InDesign',
  minVersion: '21.0.0',
  reason: 'UXP 9.0.3, the first documented for InDesign that has the redirect fix of 8.4',
  hasCommands: true,
};

const premiere: HostApp = {
  app: 'premierepro',
  name: 'Adobe Premiere',
  minVersion: '26.2.0',
  reason: 'UXP 9.2.1, the first documented for Premiere that has the redirect fix of 8.4',
};

/**
 * Every app that gets a package. To add one, add an entry; `npm run package` and its tests read nothing else.
 * `uxp-api/hosts.json` must know the version, because the bundle is checked against what that version documents.
 *
 * The oldest version to admit is the first with UXP 8.4: before it, a host kept the Authorization header when a
 * request was redirected to another origin, so a token could leave the service's own origin.
 */
export const hosts: readonly HostApp[] = [photoshop, indesign, premiere];
