/** Words about projects, links and who sees what. */
export const deSharing = {
  projects: 'Projekte',
  project: 'Projekt',
  anyProject: 'Egal welches',
  noProject: 'Keines',
  projectNamed: 'Projekt: {project}',
  projectsText:
    'Ein Foto liegt in einem Projekt oder in keinem. Die Namen der Projekte sehen alle Mitglieder des Workspace, von den Fotos darin jedes, was es sehen darf.',
  newProjectName: 'Name des neuen Projekts',
  createProject: 'Projekt anlegen',
  noProjectYet: 'Es gibt noch kein Projekt.',
  archive: 'Archiv',
  projectSettings: 'Verwalten',
  projectSettingsOf: 'Verwalten: {name}',
  projectMade: 'Das Projekt ist angelegt.',
  projectArchived: 'Das Projekt liegt im Archiv.',
  projectBack: 'Das Projekt ist aus dem Archiv zurück.',
  photosMoved: 'Verschoben.',
  nameTheProject: 'Geben Sie dem Projekt einen anderen Namen: Er {problem}.',
  projectNameTaken: 'Es gibt schon ein Projekt mit diesem Namen.',
  tooManyProjects: 'Ein Workspace kann {max} Projekte haben, das Archiv eingeschlossen.',
  isArchived:
    'Im Archiv seit {time}. Es kann nichts hineingelegt werden, und seine Links führen nirgendwohin.',
  showItsPhotos: 'Seine Fotos zeigen',
  whoManagesProject:
    'Wer das Projekt angelegt hat, und Inhaber des Workspace können es umbenennen und archivieren.',
  rename: 'Umbenennen',
  archiveText:
    'Seine Fotos bleiben. Bis es zurückgeholt wird, kann nichts hineingelegt werden, und seine Links führen nirgendwohin.',
  bringBack: 'Zurückholen',
  archiveProject: 'Ins Archiv',
  moveToProject: 'In das Projekt legen',
  onlyOwnPhotos:
    'Sie können Fotos löschen und verschieben, die Sie selbst gesendet haben. Für die anderen fragen Sie deren Absender oder einen Inhaber des Workspace.',
  onlyOwnersOpen: 'Wer die Fotos eines Workspace sieht, entscheiden nur seine Inhaber.',
  allMembersSee:
    'Alle Mitglieder dieses Workspace sehen alle seine Fotos. Löschen können ein Foto, wer es gesendet hat, und Inhaber.',
  membersSeeOwn:
    'Mitglieder dieses Workspace sehen die Fotos, die sie selbst gesendet haben. Inhaber sehen alle.',
  openViewing: 'Allen Mitgliedern alle Fotos zeigen',
  closeViewing: 'Mitgliedern nur die eigenen Fotos zeigen',
};
