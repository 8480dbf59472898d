/** Words about people, their accounts and their invitations. */
export const dePeople = {
  people: 'Personen',
  account: 'Konto',
  usernameIs: 'Benutzername: {username}',
  usernameRule:
    'Ein Benutzername besteht aus 2 bis 64 Buchstaben (ohne Umlaute), Ziffern, Punkten, Strichen, Unterstrichen, @.',
  displayName: 'Name, den andere sehen',
  nameYourself: 'Wählen Sie einen Namen, den andere sehen: Er {problem}.',
  changePassword: 'Passwort ändern',
  oldPassword: 'Jetziges Passwort',
  newPassword: 'Neues Passwort',
  newPasswordAgain: 'Neues Passwort, noch einmal',
  newPasswordRule:
    'Ein Passwort hat mindestens {min} Zeichen. Gut sind mehrere Wörter, die nur Sie so zusammenstellen.',
  passwordTooShort: 'Das neue Passwort muss mindestens {min} Zeichen haben.',
  passwordTooLong: 'Das neue Passwort darf höchstens {max} Zeichen haben.',
  passwordTooEasy:
    'Das neue Passwort ist zu leicht zu erraten: ein Muster, ein Name oder das, was alle zuerst probieren. Wählen Sie ein anderes.',
  passwordsDiffer:
    'Die beiden neuen Passwörter sind nicht gleich. Geben Sie beide noch einmal ein.',
  oldPasswordWrong: 'Das jetzige Passwort stimmt nicht. Es wurde nichts geändert.',
  demoPasswordStays: 'Das Passwort des Demo-Kontos lässt sich nicht ändern: Es wird allen gesagt.',
  signOutOthers: 'Alle anderen Browser abmelden',
  endAppsToo: 'Auch alle Apps trennen und alle persönlichen Zugriffstokens beenden',
  passwordChanged: 'Ihr Passwort ist geändert.',
  roleOwner: 'Inhaber',
  roleMember: 'Mitglied',
  role: 'Rolle',
  rolesText:
    'Inhaber laden Personen ein, ändern Rollen, legen Anwendungen an und sehen die Fotos aller. Mitglieder sehen ihre eigenen oder, wo Inhaber das erlauben, alle.',
  onlyOwnersInvite:
    'Inhaber laden Personen ein und ändern Rollen. Hier sehen Sie die Inhaber und sich selbst.',
  thatIsYou: '{name} (Sie)',
  changeMember: 'Ändern oder entfernen',
  changeOf: 'Ändern oder entfernen: {name}',
  chooseRole: 'Wählen Sie eine Rolle.',
  removeMember: 'Aus dem Workspace entfernen',
  theirAccessEnds: 'Der Zugang endet sofort; die Fotos bleiben im Workspace',
  leaveWorkspace: 'Workspace verlassen',
  myAccessEnds: 'Mein Zugang endet sofort; meine Fotos bleiben im Workspace',
  lastOwner:
    'Ein Workspace behält mindestens einen Inhaber. Geben Sie diese Rolle zuerst jemand anderem.',
  onlyOwnersManage: 'Das dürfen nur Inhaber des Workspace.',
  notAMemberAnyMore: 'Diese Person ist nicht mehr im Workspace.',
  memberRemoved: 'Die Person ist nicht mehr im Workspace.',
  left: 'Sie haben den Workspace verlassen.',
  inviteSomebody: 'Jemanden einladen',
  inviteText:
    'Sie bekommen einen Link, mit dem eine Person innerhalb von {time} beitreten kann. Es wird keine Mail verschickt: Sie geben den Link selbst weiter.',
  makeLink: 'Link machen',
  linkMade: 'Der Link ist da',
  linkOnce:
    'Geben Sie diesen Link nur der einen Person, für die er ist: Wer ihn zuerst öffnet, kann beitreten. Kopieren Sie ihn jetzt: Er wird nicht noch einmal gezeigt.',
  noMailSent:
    'Creative Workspace verschickt keine Mail. Sie können die Einladung zurücknehmen, bis sie benutzt ist.',
  openInvitations: 'Offene Einladungen',
  invitedBy: 'Von {person}',
  invitedByOperators: 'Von den Leuten, die Creative Workspace betreuen',
  tooManyInvitations:
    'Es gibt schon {max} offene Einladungen. Nehmen Sie erst einige davon zurück.',
  invitationRevoked: 'Die Einladung ist zurückgenommen.',
  invitation: 'Einladung',
  signInToJoin: 'um die Einladung zu beantworten',
  joinHeading: '{workspace} beitreten?',
  invitedByLabel: 'Eingeladen von',
  theOperators: 'den Leuten, die Creative Workspace betreuen',
  join: 'Beitreten',
  no: 'Nein',
  newAccount: 'Neu hier?',
  createAndJoin: 'Konto anlegen und beitreten',
  haveAnAccount: 'Sie haben schon ein Konto? [Melden Sie sich an] und treten Sie damit bei.',
  usernameTaken: 'Diesen Benutzernamen hat schon jemand. Wählen Sie einen anderen.',
  memberAlready:
    'Sie gehören schon zu {workspace}. Die Einladung bleibt für jemand anderen gültig.',
  joined: 'Sie sind dem Workspace beigetreten.',
  notJoined: 'Sie sind nicht beigetreten',
  notJoinedText:
    'Sie sind nicht in {workspace}. Doch anders überlegt? Der Link bleibt gültig, bis er abläuft.',
  answerOnceMore:
    'Diese Seite war zu lange offen, oder ein anderer Link oder eine Anmeldung kam dazwischen. Sehen Sie sie noch einmal an, und antworten Sie erneut.',
  linkGoneTitle: 'Dieser Link gilt nicht mehr',
  linkGone:
    'Er wurde benutzt, ist abgelaufen oder wurde zurückgenommen. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
  usedItYourself: 'Haben Sie ihn selbst benutzt? Dann ist alles getan: [weiter zu Ihren Fotos].',
  chooseNewPassword: 'Neues Passwort wählen',
  browsersSignedOut: 'Alle Browser, in denen Sie angemeldet sind, werden abgemeldet, außer diesem.',
  saveAndSignIn: 'Speichern und anmelden',
};
