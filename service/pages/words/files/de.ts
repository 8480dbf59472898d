/** Words about versions of a photo, and about how files are handed out. */
export const deFiles = {
  versions: 'Versionen',
  versionsText:
    'Fotos mit demselben Namen von {person}, im selben Projekt oder wie dieses in keinem. Das neueste steht oben.',
  versionCount: '{count} Versionen',
  newestVersion: 'Dies ist die neueste Version.',
  newerVersion: 'Es gibt [eine neuere Version].',
  versionSame: 'Byte für Byte gleich',
  versionDiffers: 'anderer Inhalt',
  moreVersions: '[Alle Fotos mit diesem Namen zeigen]',
  downloadAllZip: 'Alle als ZIP herunterladen',
  downloadPageZip: 'Diese Seite als ZIP herunterladen',
  tooManyForZip:
    'In ein ZIP passen höchstens {max} Fotos, und dies sind mehr. Laden Sie sie Seite für Seite herunter, oder suchen Sie nach weniger.',
  addressEnded:
    'Diese Adresse eines Downloads galt nur einige Minuten. Gehen Sie zurück zum Foto und laden Sie es noch einmal herunter.',
} as const;
