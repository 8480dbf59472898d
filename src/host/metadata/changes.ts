import type { CopyMetadata } from '../host.js';

/** Whether any metadata is to be changed. */
export function changesMetadata({ removeLocation, ...texts }: CopyMetadata): boolean {
  return removeLocation || writesTexts(texts);
}

/** Whether texts are to be written. */
export function writesTexts({
  creator,
  copyright,
  contact,
}: Pick<CopyMetadata, 'creator' | 'copyright' | 'contact'>): boolean {
  return creator !== '' || copyright !== '' || contact !== '';
}
