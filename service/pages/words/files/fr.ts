/** Words about versions of a photo, and about how files are handed out. */
export const frFiles = {
  versions: 'Versions',
  versionsText:
    'Photos du même nom envoyées par {person}, dans le même projet ou, comme celle-ci, dans aucun. La plus récente est en haut.',
  versionCount: '{count} versions',
  newestVersion: 'C’est la version la plus récente.',
  newerVersion: 'Il existe [une version plus récente].',
  versionSame: 'identique, octet pour octet',
  versionDiffers: 'contenu différent',
  moreVersions: '[Afficher toutes les photos de ce nom]',
  downloadAllZip: 'Tout télécharger en ZIP',
  downloadPageZip: 'Télécharger cette page en ZIP',
  tooManyForZip:
    'Un ZIP contient au plus {max} photos, et il y en a davantage. Téléchargez-les page par page, ou restreignez la recherche.',
  addressEnded:
    'Cette adresse de téléchargement n’était valable que quelques minutes. Revenez à la photo et téléchargez-la de nouveau.',
} as const;
