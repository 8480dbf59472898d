/** How much of the shared resources uploads may take. */
export interface UploadLimits {
  /**
   * The room of one workspace in bytes. Unfinished uploads count with their whole length. Every upload counts 16 KiB
   * more than its bytes, for its row, its file and its thumbnails. Default 100 GiB.
   */
  readonly workspaceBytes: number;
  /** How much free disk space uploads leave for the database and the machine, in bytes. Default 1 GiB. */
  readonly minFreeDiskBytes: number;
  /** How many unfinished uploads one user may have in one workspace. Default 1000. */
  readonly unfinishedUploads: number;
  /** How often to check during a long upload or download whether it is still allowed, in seconds. Default 20. */
  readonly recheckSeconds: number;
}
