/** What is changed in the metadata of a file. */
export interface MetadataChanges extends MetadataTexts {
  /** Whether the place where the photo was taken is removed. */
  readonly removeLocation: boolean;
}

/** What is written into IPTC and XMP. Empty texts leave what is there. */
export interface MetadataTexts {
  readonly creator: string;
  readonly copyright: string;
  readonly contact: string;
}

/** Whether any metadata is to be changed. */
export function changesMetadata({ removeLocation, ...texts }: MetadataChanges): boolean {
  return removeLocation || writesTexts(texts);
}

/** Whether texts are to be written. */
export function writesTexts({ creator, copyright, contact }: MetadataTexts): boolean {
  return creator !== '' || copyright !== '' || contact !== '';
}
