/**
 * Every failure this plugin can report. The code is permanently stable: support reads it out by phone and
 * `docs/support.md` explains it. The text for users is looked up by code in the panel's translations; `message` here is
 * for engineers and never contains a secret, a file name or a path.
 *
 * The first digit names the area: 1 signing in, 2 the session, 3 the connection, 6 photos, 7 storage on this computer,
 * 8 the host app, 9 the plugin itself.
 */
export const ERROR_CODES = [
  'CW-101', // the service refused to start a sign-in
  'CW-102', // the code expired before it was approved
  'CW-103', // the user chose Deny
  'CW-104', // the sign-in address is not on the service's own origin
  'CW-105', // the system browser was not opened
  'CW-106', // the service refused the device code
  'CW-107', // the number chosen here is not the one in the browser
  'CW-108', // the workspace does not allow this way of signing in
  'CW-201', // not connected
  'CW-202', // the service ended the session: reconnect needed
  'CW-203', // the service accepts the session but not this access (scope)
  'CW-204', // the service refused the name of this computer
  'CW-301', // the service cannot be reached
  'CW-302', // the service stopped answering
  'CW-303', // the service is busy or failing (429, 5xx)
  'CW-304', // something on the network answered in the service's place, or a request was meant for a foreign origin
  'CW-305', // an answer that does not make sense
  'CW-306', // the service holds other bytes than were sent, again
  'CW-601', // the photo is empty
  'CW-602', // the photo could not be read or copied
  'CW-603', // the service refused the photo
  'CW-604', // the photo is too large for the service
  'CW-605', // the service does not take this kind of file
  'CW-606', // the workspace is full
  'CW-607', // the kept copy of the photo is gone or damaged
  'CW-608', // the host gave a size that is no number of bytes
  'CW-609', // the file is no picture
  'CW-610', // the file's extension is wrong for its kind
  'CW-611', // the service holds this photo already
  'CW-612', // the project that the photo was to go to no longer exists
  'CW-613', // the service did not create the project
  'CW-614', // the service refused a link to photos
  'CW-615', // the service refused a receipt
  'CW-616', // the service refused a list of files
  'CW-617', // the bytes of a download are not those of the file
  'CW-618', // a file to be placed is gone, or the user does not see it any more
  'CW-619', // the service has no web size of the file
  'CW-620', // the service itself is full
  'CW-701', // secure storage cannot be read or written
  'CW-702', // the upload list cannot be read or written
  'CW-703', // the disk is full
  'CW-704', // another instance of the plugin on the same storage has taken over the upload list
  'CW-705', // the watched folder is gone or cannot be read
  'CW-706', // a download could not be stored in the folder
  'CW-707', // the disk is full while a file is downloaded
  'CW-801', // the clipboard refused
  'CW-802', // the file picker failed
  'CW-803', // nothing is open to be exported
  'CW-804', // this app has no document export
  'CW-805', // the app did not export: busy, or it failed
  'CW-806', // the app is older than the plugin needs
  'CW-807', // another plugin or a dialog keeps the app busy
  'CW-808', // the app recorded no step of an Action
  'CW-809', // a step of an Action has lost what was recorded
  'CW-810', // the metadata of the exported copy cannot be changed
  'CW-811', // the file that the user chose could not be written
  'CW-812', // the app's own preset for the export is gone, or none was chosen
  'CW-813', // the document does not have the pages of the preset
  'CW-814', // the app did not put comments into the document, or did not remove them
  'CW-815', // the app did not place a file, or did not give the links of the document
  'CW-816', // what a file is to be placed into is locked
  'CW-817', // no document is in front into which a file can be placed
  'CW-818', // the app did not put another file in the place of a placed one
  'CW-819', // the app did not open a file
  'CW-820', // the preset requires an approval, and the document is not as approved
  'CW-901', // an unexpected error in the plugin
  'CW-902', // the plugin's second script could not be loaded
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface CwErrorDetails {
  /** What went wrong underneath. Kept out of `message`, and not enumerable, so that no log prints it by accident. */
  readonly cause?: unknown;
  /** HTTP status of the answer, when there was one. */
  readonly status?: number;
  /**
   * The service's own error word ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)), when there
   * was one.
   */
  readonly oauthError?: string;
  /** The delay that the service requested, in milliseconds. */
  readonly retryAfterMs?: number;
  /** The service's id for the request, for support. */
  readonly requestId?: string;
  /** The other plugin that keeps the app busy, as the app names it, fit to be shown. */
  readonly busyWith?: string | null;
  /** Set when something on the way responded in the service's place: a proxy, a filter, the login page of a network. */
  readonly isIntercepted?: boolean;
}

/** The one error type that crosses module borders. */
export class CwError extends Error {
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly oauthError: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly requestId: string | undefined;
  readonly busyWith: string | null;
  readonly isIntercepted: boolean;
  declare readonly cause: unknown;

  /**
   * @param code    the stable code
   * @param reason  one plain sentence for engineers, free of secrets, names and paths
   */
  constructor(code: ErrorCode, reason: string, details: CwErrorDetails = {}) {
    super(`${code}: ${reason}`);
    this.name = 'CwError';
    this.code = code;
    this.status = details.status;
    this.oauthError = details.oauthError;
    this.retryAfterMs = details.retryAfterMs;
    this.requestId = details.requestId;
    this.busyWith = details.busyWith ?? null;
    this.isIntercepted = details.isIntercepted ?? false;
    Object.defineProperty(this, 'cause', { value: details.cause, enumerable: false });
  }
}

/** Gives any thrown value as a CwError: itself when it is one, else an error with `code` and the value as its cause. */
export function toCwError(thrown: unknown, code: ErrorCode, reason: string): CwError {
  return thrown instanceof CwError ? thrown : new CwError(code, reason, { cause: thrown });
}

/** Whether a failure is transient, so that a retry after a delay can succeed. */
export function isTransient(error: CwError): boolean {
  return (
    error.code === 'CW-301' ||
    error.code === 'CW-302' ||
    error.code === 'CW-303' ||
    error.isIntercepted
  );
}

/**
 * A request fails after this many intercepted responses without any progress, which takes some minutes with the delays
 * in between. A filter may block it forever; a network that requires a login soon lets it pass.
 */
const MAX_INTERCEPTED = 20;

/** Counts the intercepted responses to one request, or about one upload, since its last progress. */
export class InterceptionLimit {
  private count = 0;

  /** Call after progress. */
  reset(): void {
    this.count = 0;
  }

  /**
   * Counts `error` if it is about an intercepted response. 511 does not count: it requires a login to the network ([RFC
   * 6585 §6](https://www.rfc-editor.org/rfc/rfc6585#section-6)).
   * @throws {CwError} when there were too many; it is not transient
   */
  note(error: CwError): void {
    if (!error.isIntercepted || error.status === 511) {
      return;
    }
    this.count += 1;
    if (this.count > MAX_INTERCEPTED) {
      const { code, status } = error;
      throw new CwError(code, 'something keeps responding in the service’s place', {
        cause: error,
        ...(status === undefined ? {} : { status }),
      });
    }
  }
}

/** Codes of storage errors on this computer. They do not concern a photo. */
const STORAGE_CODES: readonly ErrorCode[] = ['CW-702', 'CW-703'];

/** Whether work failed because of storage on this computer, so that it can succeed later. */
export function isAboutStorage({ code }: CwError): boolean {
  return STORAGE_CODES.includes(code);
}

/** Codes of a lack of space: in the workspace, or at the service as a whole. */
const NO_SPACE_CODES = ['CW-606', 'CW-620'] as const;

export type NoSpaceCode = (typeof NO_SPACE_CODES)[number];

/** The code if it is about a lack of space, which ends without the user; null for any other value. */
export function noSpaceCode(code: unknown): NoSpaceCode | null {
  return NO_SPACE_CODES.find((one) => one === code) ?? null;
}

/** The session is missing or has ended, or its storage fails. These codes do not concern the request itself. */
const SESSION_CODES: readonly ErrorCode[] = ['CW-201', 'CW-202', 'CW-701'];

/** Whether a request failed because of the session it was to be sent with. */
export function isAboutSession({ code }: CwError): boolean {
  return SESSION_CODES.includes(code);
}
