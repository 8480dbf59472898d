import type { Words } from '../sentence.js';

export const fr: Words = {
  language: 'Langue',
  changeLanguage: 'Changer',
  languageNotChanged: 'La langue n’a pas été changée',
  languageNotKept:
    'Votre navigateur n’a pas gardé le cookie nécessaire. [Revenez à la page] et choisissez de nouveau.',

  connectAnApp: 'Connecter une application',
  enterCodeText:
    'Saisissez le code que l’application vous montre. Les majuscules et le tiret n’ont pas d’importance.',
  code: 'Code',
  continue: 'Continuer',
  compareTitle: 'Comparer le code',
  compareHeading: 'Est-ce bien le code que vous voyez ?',
  compareText:
    'Comparez-le avec le code affiché dans {app}. Ne continuez que si vous avez lancé la connexion vous-même et que les deux sont identiques.',
  compareTextUnnamed:
    'Comparez-le avec le code affiché dans l’application. Ne continuez que si vous avez lancé la connexion vous-même et que les deux sont identiques.',
  notTheSame: 'Ils sont différents ? [Saisissez un autre code], ou fermez cette page.',
  codeMissing: 'Saisissez le code que l’application affiche.',
  codeUnknown:
    'Aucune application n’attend avec ce code. Vérifiez qu’il ne contient pas d’erreur de frappe, puis réessayez.',
  codeExpired: 'Ce code a expiré. Demandez un nouveau code dans l’application et saisissez-le ici.',
  codeUsed:
    'Ce code a déjà été utilisé. Demandez un nouveau code dans l’application et saisissez-le ici.',
  codePageTooOld:
    'La page précédente est restée ouverte trop longtemps, ou s’est poursuivie dans un autre onglet. Saisissez le code de nouveau.',
  codeFailed: 'Cela n’a pas fonctionné. Saisissez le code de nouveau.',
  codeWentWrong: 'Un problème est survenu. Saisissez le code de nouveau.',
  wrongCodes: 'Trop de codes erronés ont été saisis. Réessayez dans {time}.',
  wrongCodesSignIn:
    'Trop de codes erronés ont été saisis. Identifiez-vous d’abord dans les réglages, ou réessayez dans {time}.',
  tooManyRequests: 'Trop de requêtes sont venues de votre adresse. Réessayez dans {time}.',
  tooManyOfPerson:
    'On a demandé trop souvent en peu de temps de connecter des applications à votre compte. Réessayez dans {time}.',

  signIn: 'S’identifier',
  username: 'Nom d’utilisateur',
  password: 'Mot de passe',
  signInForSettings: 'pour voir vos réglages',
  signInToConnect: 'pour connecter {app}',
  signInToConnectUnchecked:
    'pour connecter {app}, une application que Creative Workspace n’a pas vérifiée',
  demoAccount: 'Pour essayer, identifiez-vous comme {username} avec le mot de passe {password}.',
  signInWrong: 'Le nom d’utilisateur ou le mot de passe est incorrect. Réessayez.',
  signInTooMany: 'Trop de tentatives d’identification. Réessayez dans {time}.',
  signInBusy: 'Trop de personnes s’identifient en ce moment. Réessayez dans quelques secondes.',
  signInAgain: 'Cette page est restée ouverte trop longtemps. Identifiez-vous de nouveau.',

  allowAccess: 'Autoriser l’accès',
  connectApp: 'Connecter {app} ?',
  officialApp: 'Une application officielle de Creative Workspace.',
  appMadeBy:
    'Cette application vient de l’espace de travail {workspace} ; Creative Workspace ne l’a pas vérifiée.',
  signedInAs: 'Session ouverte : {name} ({username}). Ce n’est pas vous ?',
  useAnotherAccount: 'Utiliser un autre compte',
  itWillBeAbleTo: 'Elle pourra',
  inTheWorkspace: 'Dans l’espace de travail',
  answerGoesTo: 'Votre réponse est envoyée à',
  thisComputer: 'cet ordinateur ({address})',
  allowOnlyIf:
    'N’autorisez cela que si vous l’avez lancé vous-même. Votre mot de passe n’est pas communiqué à l’application.',
  deny: 'Refuser',
  allow: 'Autoriser',
  inWhichWorkspace: 'Dans quel espace de travail ?',
  chooseTheWorkspace: 'Choisissez l’espace de travail.',
  scopeUploadsWrite:
    'Envoyer des photos dans votre espace de travail, et voir, poursuivre ou retirer ses propres envois',
  scopeUploadsRead:
    'Voir la liste des photos que vous avez envoyées dans l’espace de travail avec n’importe quelle application',

  connectedTitle: 'Connexion établie',
  youAreConnected: 'La connexion est établie',
  connectedText:
    'Vous pouvez revenir à l’application. Dans {app}, la suite se fait d’elle-même en quelques secondes.',
  connectedTextUnnamed:
    'Vous pouvez revenir à l’application. La suite s’y fait d’elle-même en quelques secondes.',
  mayClose: 'Vous pouvez fermer cette page.',
  notConnected: 'Aucune connexion',
  deniedText:
    'Vous avez refusé l’accès : rien n’a été connecté. Vous pouvez revenir à l’application.',
  appKnows: 'Rien n’a été connecté, et l’application le sait. Vous pouvez y revenir.',
  changedYourMind:
    'Vous avez changé d’avis ? Demandez un nouveau code dans l’application et [saisissez-le ici].',
  onceAdded:
    'Dès que votre compte fera partie d’un espace de travail, recommencez dans l’application.',
  didNotWork: 'Cela n’a pas fonctionné',
  getNewCode: 'Demandez un nouveau code dans l’application et [saisissez-le ici].',
  didNotWorkSentence: 'Cela n’a pas fonctionné.',
  notAMember: 'Cette application appartient à un espace de travail dont vous n’êtes pas membre.',
  noWorkspace: 'Votre compte n’appartient à aucun espace de travail.',
  workspaceMissing: 'Il manque un espace de travail',
  needWorkspace: 'Il vous faut d’abord un espace de travail',
  askForWorkspace:
    'Demandez à la personne propriétaire de votre espace de travail, ou à celles qui s’occupent de Creative Workspace pour vous, d’y ajouter ce compte :',
  askForThatWorkspace:
    'Demandez aux personnes qui vous ont donné l’application, ou qui s’occupent de Creative Workspace pour vous, d’ajouter ce compte à leur espace de travail :',
  noNewCode:
    'Un nouveau code n’y changerait rien. L’application attend quelques minutes ; si votre compte est ajouté d’ici là, vérifiez de nouveau.',
  checkAgain: 'Vérifier de nouveau',
  notNow: 'Pas maintenant ? {app} cesse alors d’attendre, et vous y recommencerez plus tard.',
  doNotConnect: 'Ne pas connecter',
  otherPersonTitle: 'La session est celle d’une autre personne',
  otherPersonText:
    'Depuis l’ouverture de cette page, une autre personne a ouvert une session dans ce navigateur. Rien n’a été connecté.',
  otherPersonAdvice:
    '{button} ferme la session de cette personne dans ce navigateur et vous mène à l’identification.',
  signedOutTitle: 'Vous avez fermé votre session',
  signedOutText:
    'Depuis l’ouverture de cette page, vous avez fermé votre session dans ce navigateur, par exemple dans un autre onglet. Rien n’a été connecté pour l’instant.',
  signInOnceMore: 'S’identifier de nouveau',
  anotherSignInTitle: 'La session a changé',
  anotherSignInText:
    'Depuis l’ouverture de cette page, une nouvelle session a été ouverte dans ce navigateur : par vous dans un autre onglet, ou par une autre personne. Rien n’a été connecté pour l’instant.',
  anotherSignInAdvice:
    'La page suivante indique de qui est la session et pose la question de nouveau.',
  signInEndedTitle: 'Votre session a été fermée',
  signInEndedText:
    'Les personnes qui s’occupent de Creative Workspace ont fermé votre session, par exemple parce que vous avez reçu un nouveau mot de passe. Rien n’a été connecté. Recommencez, et identifiez-vous avec votre mot de passe actuel.',
  pageEnded: 'Cette page n’est plus valable',
  pageEndedText:
    'Elle est restée ouverte plus d’une heure, ou a été commencée dans un autre navigateur. Revenez à l’application et recommencez là-bas.',
  pageEndedCode: 'L’application affiche un code ? [Saisissez-le ici].',
  nothingSent: 'Rien n’a été envoyé',
  nothingSentText: 'Le formulaire n’appartient pas à cette page. Rouvrez la page et répondez-y.',
  openAgain: 'Rouvrir la page',
  alreadySignedInTitle: 'Votre session est ouverte',
  alreadySignedInText:
    'Votre session est déjà ouverte : le formulaire a été envoyé deux fois, ou depuis un autre onglet.',
  alreadyAnsweredTitle: 'Réponse déjà donnée',
  alreadyAnsweredHeading: 'Vous avez déjà répondu',
  alreadyAnsweredText:
    'Cette page a déjà reçu une réponse : le formulaire a été envoyé deux fois, ou depuis un autre onglet.',
  enterCodeAgain: 'Saisir le code de nouveau',
  backToApp:
    'Revenez à l’application. Si elle attend encore, recommencez là-bas. Ce qui est connecté figure dans les [réglages].',
  leaveTitle: 'Quitter Creative Workspace ?',
  leaveText:
    'L’application {app}, que Creative Workspace n’a pas vérifiée, vous a fait venir ici avec une demande à laquelle il est impossible de répondre :',
  leaveAdvice:
    'Vous pouvez fermer cette page. Pour prévenir l’application, allez à son adresse, si vous la connaissez :',
  goOnTo: 'Aller à {host}',
  requestProblemText:
    'L’application vous a fait venir ici avec une demande à laquelle il est impossible de répondre :',
  requestProblemAdvice:
    'Revenez à l’application et réessayez. Si cela se reproduit, signalez-le à l’éditeur de l’application.',
  notFoundTitle: 'Page introuvable',
  notFoundText:
    'Il n’y a rien à cette adresse. Pour connecter une application, [saisissez son code].',
  busyTitle: 'Le service est surchargé',
  busyHeading: 'Cela n’a pas fonctionné pour l’instant',
  busyText: 'Le service est surchargé. Réessayez dans un instant.',
  busyAdvice:
    'Rien n’est perdu. Rechargez cette page, ou revenez en arrière et envoyez de nouveau.',
  starting: 'Le service démarre. Réessayez dans un instant.',
  foreignForm: 'Ce formulaire ne vient pas de ce service.',
  unreadableRequest: 'Votre navigateur a envoyé quelque chose d’illisible.',
  methodNotAllowed: 'Cela n’est pas possible à cette adresse.',
  requestTooLarge: 'C’était trop à envoyer en une fois.',
  requestTimeout: 'Votre navigateur a mis trop de temps à tout envoyer. Réessayez.',
  serverError: 'Un problème est survenu de notre côté.',

  settings: 'Réglages',
  connectedApps: 'Applications connectées',
  developer: 'Développement',
  signOut: 'Fermer la session',
  nothingChanged: 'Rien n’a été modifié',
  staleSettings: 'Cette page est restée ouverte trop longtemps, ou votre session est terminée.',
  openSettings: 'Ouvrir les réglages',
  mustSignInAgain: 'Il faudra peut-être vous identifier de nouveau. Recommencez ensuite.',
  backToSettings: 'Revenir aux réglages',
  connectedAppsText:
    'Applications que vous, {name}, avez autorisées à utiliser votre compte. Déconnecter une application met aussitôt fin à son accès ; les photos envoyées restent.',
  noAppConnected: 'Aucune application n’est connectée.',
  workspaceNamed: 'Espace de travail : {workspace}',
  since: 'Depuis : {time}',
  lastUsed: 'dernière utilisation : {time}',
  notUsedYet: 'pas encore utilisé',
  disconnect: 'Déconnecter',
  disconnected: 'L’application est déconnectée.',
  saved: 'Les modifications sont enregistrées.',
  deleted: 'L’application est supprimée.',
  revoked: 'Le jeton est révoqué.',

  applications: 'Applications OAuth',
  onlyOwnersOf:
    '{workspace} : seuls les propriétaires de cet espace de travail enregistrent des applications.',
  onlyOwners: 'Seuls les propriétaires d’un espace de travail enregistrent des applications.',
  tokens: 'Jetons d’accès personnels',
  tokensText:
    'Pour vos propres scripts. Envoyez-en un sous la forme {header} à l’API de données. Il peut ce que vous pouvez, dans les limites de ses droits : gardez-le comme un mot de passe.',
  made: 'Création : {time}',
  expires: 'expiration : {time}',
  revoke: 'Révoquer',
  newToken: 'Nouveau jeton d’accès personnel',
  inWorkspace: 'Dans l’espace de travail {workspace}',
  newApplication: 'Nouvelle application OAuth',
  whereDoesItRun: 'Où fonctionne-t-elle ?',
  onServer: 'Sur un serveur : elle reçoit un secret client',
  onMachines: 'Sur les appareils des gens : elle n’a pas de secret',
  createApplication: 'Créer l’application',
  applicationKind: '{kind}, dans l’espace de travail {workspace}',
  confidential: 'Fonctionne sur un serveur (confidentielle)',
  public: 'Fonctionne sur les appareils des gens (publique)',
  clientId: 'ID client',
  clientIdIs: 'ID client : {id}',
  saveChanges: 'Enregistrer les modifications',
  clientSecret: 'Secret client',
  secretMade: 'Création : {time}. Seule son empreinte est conservée.',
  oldSecretStops: 'L’ancien secret cesse aussitôt de fonctionner',
  makeNewSecret: 'Créer un nouveau secret',
  delete: 'Supprimer',
  everybodyDisconnected: 'Toutes les personnes qui l’ont connectée sont déconnectées',
  deleteApplication: 'Supprimer l’application',
  applicationCreated: 'Application créée',
  newSecret: 'Nouveau secret',
  tokenCreated: 'Jeton créé',
  clientSecretOnce: 'Voici son secret client. Copiez-le maintenant : il ne sera plus affiché.',
  newSecretOnce: 'Voici le nouveau secret client. Copiez-le maintenant : il ne sera plus affiché.',
  tokenOnce: 'Voici le jeton. Copiez-le maintenant : il ne sera plus affiché.',
  done: 'Terminé',
  whatIsItFor: 'À quoi sert-il ?',
  workspace: 'Espace de travail',
  itMay: 'Il peut',
  itExpiresAfter: 'Durée de validité',
  createToken: 'Créer le jeton',
  name: 'Nom',
  redirectUris: 'URI de redirection, une par ligne',
  redirectUrisText:
    'Sur un serveur : {web}, comparée caractère par caractère. Sur les appareils des gens : {loopback}, avec n’importe quel port.',
  mayAskFor: 'Elle peut demander l’autorisation de',
  chooseWhere: 'Choisissez où elle fonctionne.',
  tickTheBox: 'Cochez la case pour confirmer.',
  cannotBeDone: 'Cela n’est pas possible.',
  chooseAWorkspace: 'Choisissez un espace de travail.',
  chooseTokenScopes: 'Choisissez ce que le jeton peut faire.',
  chooseExpiry: 'Choisissez quand le jeton expire.',
  chooseApplicationScopes: 'Choisissez ce que l’application peut demander.',
  nameTheToken: 'Donnez un autre nom au jeton : ce nom {problem}.',
  nameTheApplication: 'Donnez un autre nom à l’application : ce nom {problem}.',
  nameLooksOfficial:
    'Donnez à l’application un nom que l’on ne puisse pas prendre pour celui d’une application officielle.',
  nameEmpty: 'ne doit pas être vide',
  nameTooLong: 'ne doit pas dépasser {max} caractères',
  nameControls: 'ne doit pas contenir de caractères de commande',
  nameDirection: 'ne doit pas contenir de caractères qui changent le sens du texte',
  nameInvisible: 'ne doit pas contenir de caractères invisibles',
  nameLineBreaks: 'ne doit pas contenir de sauts de ligne',
  nameNotText: 'ne doit pas contenir de caractères qui ne sont pas du texte',
  nameAccents: 'ne doit pas porter autant d’accents sur une même lettre',
  uriMissing: 'Saisissez au moins une URI de redirection.',
  uriTooMany: 'Saisissez au plus {max} URI de redirection.',
  uriTooLong: 'Une URI de redirection est trop longue.',
  uriNoAddress: '{uri} n’est pas une adresse web.',
  uriLoopback: '{uri} doit ressembler à {ipv4} ou {ipv6}.',
  uriHttps: '{uri} doit commencer par https://.',
  uriPassword: '{uri} ne doit pas contenir de mot de passe.',
  uriFragment: '{uri} ne doit pas avoir de fragment.',
  uriCharacter: '{uri} contient un caractère interdit.',
  uriHost: '{uri} doit nommer son hôte avec des lettres, des chiffres, des tirets et des points.',
};
