/**
 * The creative apps the plugin is offered for. To add one, add an entry: the build, the package command
 * and their tests read nothing else. The host table in host-surface/hosts.json must know the version,
 * because the build checks the bundle against what that version documents.
 *
 * The oldest version to admit is the first with UXP 8.4: before it the host sent the Authorization header
 * on to another origin when a request was redirected there, and a token could leave the service's origin.
 * InDesign (documented up to 20.0 = UXP 8.0.1) and Premiere Pro (25.6 = UXP 8.1) have no documented
 * version that is as safe, so they are not here.
 *
 * @typedef {object} HostApp
 * @property {string} app  the manifest's code of the app
 * @property {string} name  the app's name for people
 * @property {string} minVersion  the oldest version that may load the plugin
 * @property {string} reason  why it is that version
 * @property {Readonly<Record<string, unknown>>} [data]  what the manifest says to this app alone
 */

/** @type {readonly HostApp[]} */
export const hosts = [
  {
    app: 'PS',
    name: 'Adobe Photoshop',
    minVersion: '26.9.0',
    reason:
      'UXP 8.4, the first that drops the Authorization header on a redirect to another origin',
    data: { apiVersion: 2 },
  },
];

/** The app whose manifest dist/ gets, for the developer tool. */
export const developmentHost = /** @type {HostApp} */ (hosts[0]);
