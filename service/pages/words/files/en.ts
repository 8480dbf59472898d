/** Words about versions of a photo, and about how files are handed out. */
export const enFiles = {
  versions: 'Versions',
  versionsText:
    'Photos with the same name from {person}, in the same project, or like this one in none. The newest is on top.',
  versionCount: '{count} versions',
  newestVersion: 'This is the newest version.',
  newerVersion: 'There is [a newer version].',
  versionSame: 'the same, byte for byte',
  versionDiffers: 'other contents',
  moreVersions: '[Show all photos with this name]',
  downloadAllZip: 'Download all as ZIP',
  downloadPageZip: 'Download this page as ZIP',
  tooManyForZip:
    'One ZIP holds {max} photos at most, and these are more. Fetch them page by page, or look for fewer.',
  addressEnded:
    'This address of a download was good for some minutes only. Go back to the photo and download it once more.',
} as const;
