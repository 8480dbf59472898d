/** Words about versions of a photo, and about how files are handed out. */
export const ptBRFiles = {
  versions: 'Versões',
  versionsText:
    'Fotos com o mesmo nome de {person}, no mesmo projeto ou, como esta, em nenhum. A mais recente está no topo.',
  versionCount: '{count} versões',
  newestVersion: 'Esta é a versão mais recente.',
  newerVersion: 'Há [uma versão mais recente].',
  versionSame: 'idêntica, byte a byte',
  versionDiffers: 'conteúdo diferente',
  moreVersions: '[Mostrar todas as fotos com este nome]',
  downloadAllZip: 'Baixar tudo como ZIP',
  downloadPageZip: 'Baixar esta página como ZIP',
  tooManyForZip:
    'Um ZIP contém no máximo {max} fotos, e aqui há mais. Baixe-as página por página ou procure menos.',
  addressEnded:
    'Este endereço de download valia apenas por alguns minutos. Volte à foto e baixe-a novamente.',
} as const;
