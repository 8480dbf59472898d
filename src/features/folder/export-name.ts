import { mediaTypeOf } from '../../host/media-type.js';

/** Names that apps give to files that they have not finished, and to files that are no export. */
const UNFINISHED = /^[.~]|~$|\.(?:tmp|temp|part|partial|crdownload|download)(?:\.|$)/i;

/** Whether a file of the watched folder may be a finished export, by its name. */
export function isExportName(name: string): boolean {
  return !UNFINISHED.test(name) && mediaTypeOf(name) !== 'application/octet-stream';
}
