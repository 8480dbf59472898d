/** Words about versions of a photo, and about how files are handed out. */
export const esFiles = {
  versions: 'Versiones',
  versionsText:
    'Fotos con el mismo nombre de {person}, en el mismo proyecto o, como esta, en ninguno. La más reciente está arriba.',
  versionCount: '{count} versiones',
  newestVersion: 'Esta es la versión más reciente.',
  newerVersion: 'Hay [una versión más reciente].',
  versionSame: 'idéntica, byte por byte',
  versionDiffers: 'contenido distinto',
  moreVersions: '[Mostrar todas las fotos con este nombre]',
  downloadAllZip: 'Descargar todo como ZIP',
  downloadPageZip: 'Descargar esta página como ZIP',
  tooManyForZip:
    'Un ZIP contiene como máximo {max} fotos, y aquí hay más. Descárguelas página por página o busque menos.',
  addressEnded:
    'Esta dirección de descarga solo era válida unos minutos. Vuelva a la foto y descárguela de nuevo.',
} as const;
