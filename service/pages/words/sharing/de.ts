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
  shares: 'Links',
  shareByLink: 'Per Link teilen',
  newShare: 'Neuer Link',
  newShareOfPhoto:
    'Wer den Link hat, sieht das Foto {name} und kann es herunterladen, ohne Anmeldung.',
  newShareOfProject:
    'Wer den Link hat, sieht ohne Anmeldung die Fotos des Projekts {name}, die Sie sehen, auch später hinzugekommene, und kann sie herunterladen.',
  shareWorksFor: 'Er gilt',
  sharePassword: 'Passwort, wenn Sie möchten',
  sharePasswordText: 'Mindestens {min} Zeichen. Teilen Sie es auf anderem Weg mit als den Link.',
  createShare: 'Link anlegen',
  shareMade: 'Link angelegt',
  shareOnce:
    'Das ist der Link. Kopieren Sie ihn jetzt: Er wird nicht noch einmal gezeigt. Geht er verloren, legen Sie einen neuen an.',
  sharePasswordLength: 'Ein Passwort hat mindestens {min} und höchstens {max} Zeichen.',
  chooseShareTime: 'Wählen Sie, wie lange der Link gilt.',
  tooManyShares:
    'Ein Workspace kann {max} Links haben. Widerrufen Sie einige, die niemand mehr braucht.',
  sharesText:
    'Wer einen solchen Link hat, sieht ohne Anmeldung, wohin er führt. Er endet mit seiner Frist, und wenn den Workspace verlässt, wer ihn angelegt hat. Inhaber sehen hier alle Links, andere Mitglieder die eigenen.',
  noShareYet: 'Es gibt keinen Link. Sie legen einen auf der Seite eines Fotos oder Projekts an.',
  shareOfPhoto: 'Foto: {name}',
  shareMadeBy: 'Angelegt am {time} von {person}',
  shareOpened: 'zuletzt geöffnet am {time}',
  shareNotOpened: 'noch nicht geöffnet',
  shareHasPassword: 'mit Passwort',
  shareRests:
    'Er führt zurzeit nirgendwohin: Sein Foto liegt im Papierkorb, sein Projekt im Archiv, oder wer ihn angelegt hat, sieht das Foto nicht mehr.',
  shareRevoked: 'Der Link ist widerrufen.',
  sharedBy: 'Geteilt von {person}, {workspace}',
  sharedUntil: 'bis {time}',
  sharedEmpty: 'Hier ist zurzeit kein Foto.',
  shareGoneTitle: 'Dieser Link führt nirgendwohin',
  shareGoneText:
    'Seine Frist ist um, er wurde widerrufen, oder ein Teil von ihm fehlt. Bitten Sie um einen neuen, von wem Sie ihn haben.',
  shareLockedTitle: 'Ein Passwort wird gebraucht',
  shareLockedText:
    'Geben Sie das Passwort ein, das zu diesem Link gehört. Wer Ihnen den Link gegeben hat, weiß es.',
  sharePasswordWrong: 'Dieses Passwort stimmt nicht. Versuchen Sie es noch einmal.',
  shareAgain:
    'Diese Seite war zu lange offen, oder Ihr Browser hat ihr Cookie nicht behalten. Geben Sie das Passwort noch einmal ein.',
  shareTooMany: 'Es wurden zu viele Passwörter probiert. Versuchen Sie es in {time} wieder.',
  shareBusy:
    'Gerade werden zu viele Passwörter geprüft. Versuchen Sie es in einigen Sekunden wieder.',
};
