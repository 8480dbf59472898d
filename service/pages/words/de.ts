import type { Words } from '../sentence.js';

export const de: Words = {
  language: 'Sprache',
  changeLanguage: 'Ändern',
  languageNotChanged: 'Die Sprache wurde nicht geändert',
  languageNotKept:
    'Ihr Browser hat das Cookie nicht behalten, das dafür nötig ist. [Gehen Sie zurück zur Seite] und wählen Sie noch einmal.',

  connectAnApp: 'App verbinden',
  enterCodeText:
    'Geben Sie den Code ein, den die App Ihnen zeigt. Groß- und Kleinschreibung und der Bindestrich spielen keine Rolle.',
  code: 'Code',
  continue: 'Weiter',
  compareTitle: 'Code vergleichen',
  compareHeading: 'Sehen Sie diesen Code?',
  compareText:
    'Vergleichen Sie ihn mit dem Code in {app}. Gehen Sie nur weiter, wenn Sie das Verbinden selbst begonnen haben und beide gleich sind.',
  compareTextUnnamed:
    'Vergleichen Sie ihn mit dem Code in der App. Gehen Sie nur weiter, wenn Sie das Verbinden selbst begonnen haben und beide gleich sind.',
  notTheSame: 'Nicht derselbe? [Geben Sie einen anderen Code ein], oder schließen Sie diese Seite.',
  codeMissing: 'Geben Sie den Code ein, den die App zeigt.',
  codeUnknown:
    'Keine App wartet mit diesem Code. Prüfen Sie ihn auf Tippfehler und versuchen Sie es noch einmal.',
  codeExpired:
    'Dieser Code ist abgelaufen. Holen Sie in der App einen neuen Code und geben Sie ihn hier ein.',
  codeUsed:
    'Dieser Code wurde schon benutzt. Holen Sie in der App einen neuen Code und geben Sie ihn hier ein.',
  codePageTooOld:
    'Die Seite davor war zu lange geöffnet oder ging in einem anderen Tab weiter. Geben Sie den Code noch einmal ein.',
  codeFailed: 'Das hat nicht geklappt. Geben Sie den Code noch einmal ein.',
  codeWentWrong: 'Etwas ist schiefgegangen. Geben Sie den Code noch einmal ein.',
  wrongCodes:
    'Es wurden zu viele falsche Codes eingegeben. Versuchen Sie es in {time} noch einmal.',
  wrongCodesSignIn:
    'Es wurden zu viele falsche Codes eingegeben. Melden Sie sich erst in den Einstellungen an, oder versuchen Sie es in {time} noch einmal.',
  tooManyRequests:
    'Von Ihrer Adresse kamen zu viele Anfragen. Versuchen Sie es in {time} noch einmal.',
  tooManyOfPerson:
    'Es wurde in kurzer Zeit zu oft versucht, Apps mit Ihrem Konto zu verbinden. Versuchen Sie es in {time} noch einmal.',

  signIn: 'Anmelden',
  username: 'Benutzername',
  password: 'Passwort',
  signInForSettings: 'um Ihre Einstellungen zu sehen',
  signInToConnect: 'um {app} zu verbinden',
  signInToConnectUnchecked: 'um {app} zu verbinden, eine von Creative Workspace nicht geprüfte App',
  demoAccount: 'Zum Ausprobieren melden Sie sich als {username} mit dem Passwort {password} an.',
  signInWrong: 'Der Benutzername oder das Passwort stimmt nicht. Versuchen Sie es noch einmal.',
  signInTooMany: 'Zu viele Versuche, sich anzumelden. Versuchen Sie es in {time} noch einmal.',
  signInBusy:
    'Gerade melden sich zu viele gleichzeitig an. Versuchen Sie es in ein paar Sekunden noch einmal.',
  signInAgain: 'Diese Seite war zu lange geöffnet. Melden Sie sich noch einmal an.',

  allowAccess: 'Zugriff zulassen',
  connectApp: '{app} verbinden?',
  officialApp: 'Eine offizielle App von Creative Workspace.',
  appMadeBy: 'Stammt aus dem Workspace {workspace} und wurde von Creative Workspace nicht geprüft.',
  signedInAs: 'Angemeldet als {name} ({username}). Sind das nicht Sie?',
  useAnotherAccount: 'Anderes Konto benutzen',
  itWillBeAbleTo: 'Die App darf dann',
  inTheWorkspace: 'Im Workspace',
  answerGoesTo: 'Ihre Antwort geht an',
  thisComputer: 'diesen Computer ({address})',
  allowOnlyIf:
    'Lassen Sie das nur zu, wenn Sie es selbst begonnen haben. Die App erfährt Ihr Passwort nicht.',
  deny: 'Ablehnen',
  allow: 'Zulassen',
  inWhichWorkspace: 'In welchem Workspace?',
  chooseTheWorkspace: 'Wählen Sie den Workspace.',
  scopeUploadsWrite:
    'Fotos in Ihren Workspace hochladen und das selbst Hochgeladene sehen, fortsetzen und zurücknehmen',
  scopeUploadsRead:
    'Die Liste der Fotos sehen, die Sie mit irgendeiner App in den Workspace hochgeladen haben',

  connectedTitle: 'Verbunden',
  youAreConnected: 'Sie sind verbunden',
  connectedText:
    'Sie können zur App zurückkehren. In {app} geht es in wenigen Sekunden von selbst weiter.',
  connectedTextUnnamed:
    'Sie können zur App zurückkehren. Dort geht es in wenigen Sekunden von selbst weiter.',
  mayClose: 'Sie können diese Seite schließen.',
  notConnected: 'Nicht verbunden',
  deniedText:
    'Sie haben den Zugriff abgelehnt, deshalb wurde nichts verbunden. Sie können zur App zurückkehren.',
  appKnows: 'Es wurde nichts verbunden, und die App weiß davon. Sie können zu ihr zurückkehren.',
  changedYourMind:
    'Anders überlegt? Holen Sie in der App einen neuen Code und [geben Sie ihn hier ein].',
  onceAdded: 'Sobald Ihr Konto in einen Workspace aufgenommen ist, beginnen Sie in der App neu.',
  didNotWork: 'Das hat nicht geklappt',
  getNewCode: 'Holen Sie in der App einen neuen Code und [geben Sie ihn hier ein].',
  didNotWorkSentence: 'Das hat nicht geklappt.',
  notAMember: 'Diese App gehört zu einem Workspace, in dem Sie nicht Mitglied sind.',
  noWorkspace: 'Ihr Konto gehört zu keinem Workspace.',
  workspaceMissing: 'Es fehlt ein Workspace',
  needWorkspace: 'Sie brauchen zuerst einen Workspace',
  askForWorkspace:
    'Bitten Sie die Person, der Ihr Workspace gehört, oder die Leute, die Creative Workspace für Sie betreuen, dieses Konto hinzuzufügen:',
  askForThatWorkspace:
    'Bitten Sie die Leute, von denen Sie die App haben oder die Creative Workspace für Sie betreuen, dieses Konto in ihren Workspace aufzunehmen:',
  noNewCode:
    'Ein neuer Code würde daran nichts ändern. Die App wartet einige Minuten; wenn Ihr Konto bis dahin aufgenommen ist, prüfen Sie es noch einmal.',
  checkAgain: 'Noch einmal prüfen',
  notNow: 'Nicht jetzt? Dann hört {app} auf zu warten, und Sie beginnen dort später neu.',
  doNotConnect: 'Nicht verbinden',
  otherPersonTitle: 'Eine andere Person ist angemeldet',
  otherPersonText:
    'Seit diese Seite geöffnet wurde, hat sich in diesem Browser eine andere Person angemeldet. Es wurde nichts verbunden.',
  otherPersonAdvice:
    '{button} meldet diese Person in diesem Browser ab und führt Sie zur Anmeldung.',
  signedOutTitle: 'Sie haben sich abgemeldet',
  signedOutText:
    'Seit diese Seite geöffnet wurde, haben Sie sich in diesem Browser abgemeldet, zum Beispiel in einem anderen Tab. Bisher wurde nichts verbunden.',
  signInOnceMore: 'Neu anmelden',
  anotherSignInTitle: 'Die Anmeldung hat sich geändert',
  anotherSignInText:
    'Seit diese Seite geöffnet wurde, gab es in diesem Browser eine neue Anmeldung: Ihre eigene in einem anderen Tab oder die einer anderen Person. Bisher wurde nichts verbunden.',
  anotherSignInAdvice: 'Die nächste Seite zeigt, wer angemeldet ist, und fragt noch einmal.',
  signInEndedTitle: 'Ihre Anmeldung wurde beendet',
  signInEndedText:
    'Die Leute, die Creative Workspace betreuen, haben Ihre Anmeldung beendet, zum Beispiel weil Sie ein neues Passwort bekommen haben. Es wurde nichts verbunden. Beginnen Sie noch einmal, und melden Sie sich mit dem Passwort an, das jetzt gilt.',
  pageEnded: 'Diese Seite gilt nicht mehr',
  pageEndedText:
    'Sie war länger als eine Stunde geöffnet oder wurde in einem anderen Browser begonnen. Gehen Sie zurück zur App und beginnen Sie dort neu.',
  pageEndedCode: 'Zeigt die App einen Code? [Geben Sie ihn hier ein].',
  nothingSent: 'Es wurde nichts gesendet',
  nothingSentText:
    'Das Formular gehört nicht zu dieser Seite. Öffnen Sie die Seite neu und antworten Sie dort.',
  openAgain: 'Seite neu öffnen',
  alreadySignedInTitle: 'Sie sind angemeldet',
  alreadySignedInText:
    'Sie sind schon angemeldet: Das Formular wurde zweimal oder aus einem anderen Tab gesendet.',
  alreadyAnsweredTitle: 'Schon beantwortet',
  alreadyAnsweredHeading: 'Sie haben schon geantwortet',
  alreadyAnsweredText:
    'Diese Seite wurde schon beantwortet: Das Formular wurde zweimal oder aus einem anderen Tab gesendet.',
  enterCodeAgain: 'Code noch einmal eingeben',
  backToApp:
    'Gehen Sie zurück zur App. Wenn sie noch wartet, beginnen Sie dort neu. Was verbunden ist, steht in den [Einstellungen].',
  leaveTitle: 'Creative Workspace verlassen?',
  leaveText:
    'Die App {app}, die von Creative Workspace nicht geprüft ist, hat Sie mit einer Anfrage hierher geschickt, die nicht beantwortet werden kann:',
  leaveAdvice:
    'Sie können diese Seite schließen. Um es der App mitzuteilen, gehen Sie weiter zu ihrer Adresse, wenn Sie sie kennen:',
  goOnTo: 'Weiter zu {host}',
  requestProblemText:
    'Die App hat Sie mit einer Anfrage hierher geschickt, die nicht beantwortet werden kann:',
  requestProblemAdvice:
    'Gehen Sie zurück zur App und versuchen Sie es noch einmal. Wenn es wieder geschieht, melden Sie es dem Hersteller der App.',
  notFoundTitle: 'Seite nicht gefunden',
  notFoundText:
    'Unter dieser Adresse gibt es nichts. Um eine App zu verbinden, [geben Sie ihren Code ein].',
  busyTitle: 'Der Dienst ist ausgelastet',
  busyHeading: 'Das hat gerade nicht geklappt',
  busyText: 'Der Dienst ist ausgelastet. Versuchen Sie es gleich noch einmal.',
  busyAdvice:
    'Es ist nichts verloren. Laden Sie diese Seite neu, oder gehen Sie zurück und senden Sie es noch einmal.',
  starting: 'Der Dienst startet gerade. Versuchen Sie es gleich noch einmal.',
  foreignForm: 'Dieses Formular stammt nicht von diesem Dienst.',
  unreadableRequest: 'Ihr Browser hat etwas gesendet, das nicht zu lesen ist.',
  methodNotAllowed: 'Das geht an dieser Adresse nicht.',
  requestTooLarge: 'Das war zu viel auf einmal.',
  requestTimeout:
    'Es hat zu lange gedauert, bis Ihr Browser alles gesendet hatte. Versuchen Sie es noch einmal.',
  serverError: 'Bei uns ist etwas schiefgegangen.',

  settings: 'Einstellungen',
  connectedApps: 'Verbundene Apps',
  developer: 'Entwicklung',
  signOut: 'Abmelden',
  nothingChanged: 'Es wurde nichts geändert',
  staleSettings: 'Diese Seite war zu lange geöffnet, oder Ihre Anmeldung ist beendet.',
  openSettings: 'Einstellungen öffnen',
  mustSignInAgain: 'Vielleicht müssen Sie sich neu anmelden. Versuchen Sie es danach noch einmal.',
  backToSettings: 'Zurück zu den Einstellungen',
  connectedAppsText:
    'Apps, denen Sie, {name}, erlaubt haben, Ihr Konto zu benutzen. Wenn Sie eine App trennen, endet ihr Zugriff sofort; hochgeladene Fotos bleiben.',
  noAppConnected: 'Es ist keine App verbunden.',
  workspaceNamed: 'Workspace: {workspace}',
  since: 'Seit {time}',
  lastUsed: 'zuletzt benutzt {time}',
  notUsedYet: 'noch nicht benutzt',
  disconnect: 'Trennen',
  disconnected: 'Die App ist getrennt.',
  saved: 'Die Änderungen sind gespeichert.',
  deleted: 'Die Anwendung ist gelöscht.',
  revoked: 'Das Token ist widerrufen.',

  applications: 'OAuth-Anwendungen',
  onlyOwnersOf: '{workspace}: Anwendungen kann nur anlegen, wem dieser Workspace gehört.',
  onlyOwners: 'Anwendungen kann nur anlegen, wem der Workspace gehört.',
  tokens: 'Persönliche Zugriffstoken',
  tokensText:
    'Für Ihre eigenen Skripte. Senden Sie eines als {header} an die Daten-API. Es kann, was Sie können, soweit seine Rechte reichen: Hüten Sie es wie ein Passwort.',
  made: 'Erstellt {time}',
  expires: 'läuft ab {time}',
  revoke: 'Widerrufen',
  newToken: 'Neues persönliches Zugriffstoken',
  inWorkspace: 'Im Workspace {workspace}',
  newApplication: 'Neue OAuth-Anwendung',
  whereDoesItRun: 'Wo läuft sie?',
  onServer: 'Auf einem Server: Sie erhält ein Client-Secret',
  onMachines: 'Auf den Geräten der Leute: Sie hat kein Secret',
  createApplication: 'Anwendung anlegen',
  applicationKind: '{kind}, im Workspace {workspace}',
  confidential: 'Läuft auf einem Server (vertraulich)',
  public: 'Läuft auf den Geräten der Leute (öffentlich)',
  clientId: 'Client-ID',
  clientIdIs: 'Client-ID: {id}',
  saveChanges: 'Änderungen speichern',
  clientSecret: 'Client-Secret',
  secretMade: 'Erstellt {time}. Gespeichert ist nur ein Hash davon.',
  oldSecretStops: 'Das alte Secret gilt sofort nicht mehr',
  makeNewSecret: 'Neues Secret erstellen',
  delete: 'Löschen',
  everybodyDisconnected: 'Bei allen, die sie verbunden haben, wird sie getrennt',
  deleteApplication: 'Anwendung löschen',
  applicationCreated: 'Anwendung angelegt',
  newSecret: 'Neues Secret',
  tokenCreated: 'Token erstellt',
  clientSecretOnce:
    'Das ist ihr Client-Secret. Kopieren Sie es jetzt: Es wird nicht noch einmal gezeigt.',
  newSecretOnce:
    'Das ist das neue Client-Secret. Kopieren Sie es jetzt: Es wird nicht noch einmal gezeigt.',
  tokenOnce: 'Das ist das Token. Kopieren Sie es jetzt: Es wird nicht noch einmal gezeigt.',
  done: 'Fertig',
  whatIsItFor: 'Wofür ist es?',
  workspace: 'Workspace',
  itMay: 'Es darf',
  itExpiresAfter: 'Gültig für',
  createToken: 'Token erstellen',
  name: 'Name',
  redirectUris: 'Redirect-URIs, eine pro Zeile',
  redirectUrisText:
    'Auf einem Server: {web}, Zeichen für Zeichen verglichen. Auf den Geräten der Leute: {loopback}, mit beliebigem Port.',
  mayAskFor: 'Sie darf um Erlaubnis bitten für',
  chooseWhere: 'Wählen Sie, wo sie läuft.',
  tickTheBox: 'Setzen Sie zur Bestätigung das Häkchen.',
  cannotBeDone: 'Das geht nicht.',
  chooseAWorkspace: 'Wählen Sie einen Workspace.',
  chooseTokenScopes: 'Wählen Sie, was das Token darf.',
  chooseExpiry: 'Wählen Sie, wann das Token abläuft.',
  chooseApplicationScopes: 'Wählen Sie, wonach die Anwendung fragen darf.',
  nameTheToken: 'Geben Sie dem Token einen anderen Namen: Er {problem}.',
  nameTheApplication: 'Geben Sie der Anwendung einen anderen Namen: Er {problem}.',
  nameLooksOfficial:
    'Geben Sie der Anwendung einen Namen, der nicht für den einer offiziellen App gehalten werden kann.',
  nameEmpty: 'darf nicht leer sein',
  nameTooLong: 'darf höchstens {max} Zeichen haben',
  nameControls: 'darf keine Steuerzeichen enthalten',
  nameDirection: 'darf keine Zeichen enthalten, die die Schreibrichtung ändern',
  nameInvisible: 'darf keine unsichtbaren Zeichen enthalten',
  nameLineBreaks: 'darf keine Zeilenumbrüche enthalten',
  nameNotText: 'darf keine Zeichen enthalten, die kein Text sind',
  nameAccents: 'darf nicht so viele Akzente auf einem Buchstaben haben',
  uriMissing: 'Geben Sie mindestens eine Redirect-URI ein.',
  uriTooMany: 'Geben Sie höchstens {max} Redirect-URIs ein.',
  uriTooLong: 'Eine Redirect-URI ist zu lang.',
  uriNoAddress: '{uri} ist keine Webadresse.',
  uriLoopback: '{uri} muss aussehen wie {ipv4} oder {ipv6}.',
  uriHttps: '{uri} muss mit https:// beginnen.',
  uriPassword: '{uri} darf kein Passwort enthalten.',
  uriFragment: '{uri} darf kein Fragment haben.',
  uriCharacter: '{uri} enthält ein Zeichen, das nicht erlaubt ist.',
  uriHost: '{uri} muss den Host mit Buchstaben, Ziffern, Bindestrichen und Punkten nennen.',
};
