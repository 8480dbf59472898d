import type { CopyMetadata } from '../host.js';

/** Whether any metadata is to be changed. */
export function changesMetadata({ removeLocation, ...texts }: CopyMetadata): boolean {
  return removeLocation || writesTexts(texts);
}

/** What is written into a copy. */
export type CopyTexts = Pick<CopyMetadata, 'creator' | 'copyright' | 'contact'>;

/** Whether texts are to be written. */
export function writesTexts({ creator, copyright, contact }: CopyTexts): boolean {
  return creator !== '' || copyright !== '' || contact !== '';
}
