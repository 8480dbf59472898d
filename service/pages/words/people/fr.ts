/** Words about people, their accounts and their invitations. */
export const frPeople = {
  people: 'Personnes',
  account: 'Compte',
  usernameIs: 'Nom d’utilisateur : {username}',
  usernameRule:
    'Un nom d’utilisateur se compose de 2 à 64 lettres sans accent, chiffres, points, tirets, tirets bas, @.',
  displayName: 'Nom que les autres voient',
  nameYourself: 'Choisissez un nom que les autres voient : il {problem}.',
  changePassword: 'Changer de mot de passe',
  oldPassword: 'Mot de passe actuel',
  newPassword: 'Nouveau mot de passe',
  newPasswordAgain: 'Nouveau mot de passe, encore une fois',
  newPasswordRule:
    'Un mot de passe compte au moins {min} caractères. Plusieurs mots que vous seriez seul à réunir conviennent bien.',
  passwordTooShort: 'Le nouveau mot de passe doit compter au moins {min} caractères.',
  passwordTooLong: 'Le nouveau mot de passe doit compter au plus {max} caractères.',
  passwordTooEasy:
    'Le nouveau mot de passe est trop facile à deviner : un motif, un nom ou ce que tout le monde essaie en premier. Choisissez-en un autre.',
  passwordsDiffer:
    'Les deux nouveaux mots de passe ne sont pas identiques. Saisissez-les à nouveau.',
  oldPasswordWrong: 'Le mot de passe actuel n’est pas correct. Rien n’a été changé.',
  demoPasswordStays:
    'Le mot de passe du compte de démonstration ne peut pas être changé : il est donné à tout le monde.',
  signOutOthers: 'Fermer la session dans tous les autres navigateurs',
  endAppsToo:
    'Déconnecter aussi toutes les applications et révoquer tous les jetons d’accès personnels',
  passwordChanged: 'Votre mot de passe est changé.',
  roleOwner: 'Propriétaire',
  roleMember: 'Membre',
  role: 'Rôle',
  rolesText:
    'Les propriétaires invitent des personnes, changent les rôles, enregistrent des applications et voient les photos de tous. Les membres voient les leurs, ou toutes si les propriétaires le permettent.',
  onlyOwnersInvite:
    'Les propriétaires invitent des personnes et changent les rôles. Vous voyez ici les propriétaires et vous-même.',
  thatIsYou: '{name} (vous)',
  changeMember: 'Modifier ou retirer',
  changeOf: 'Modifier ou retirer : {name}',
  chooseRole: 'Choisissez un rôle.',
  removeMember: 'Retirer de l’espace de travail',
  theirAccessEnds: 'L’accès prend fin aussitôt ; les photos restent dans l’espace de travail',
  leaveWorkspace: 'Quitter l’espace de travail',
  myAccessEnds: 'Mon accès prend fin aussitôt ; mes photos restent dans l’espace de travail',
  lastOwner:
    'Un espace de travail garde au moins un propriétaire. Donnez d’abord ce rôle à quelqu’un d’autre.',
  onlyOwnersManage: 'Seuls les propriétaires de l’espace de travail peuvent le faire.',
  notAMemberAnyMore: 'Cette personne n’est plus dans l’espace de travail.',
  memberRemoved: 'La personne a été retirée de l’espace de travail.',
  left: 'Vous avez quitté l’espace de travail.',
  inviteSomebody: 'Inviter quelqu’un',
  inviteText:
    'Vous recevez un lien avec lequel une personne peut rejoindre l’espace, dans un délai de {time}. Aucun e-mail n’est envoyé : vous transmettez le lien vous-même.',
  makeLink: 'Créer le lien',
  linkMade: 'Le lien est prêt',
  linkOnce:
    'Donnez ce lien à la seule personne à qui il est destiné : la première qui l’ouvre peut rejoindre l’espace. Copiez-le maintenant : il ne sera plus affiché.',
  noMailSent:
    'Creative Workspace n’envoie pas d’e-mail. Vous pouvez reprendre l’invitation tant qu’elle n’est pas utilisée.',
  openInvitations: 'Invitations en cours',
  invitedBy: 'De la part de {person}',
  invitedByOperators: 'De la part des personnes qui s’occupent de Creative Workspace',
  tooManyInvitations: 'Il y a déjà {max} invitations en cours. Révoquez-en d’abord quelques-unes.',
  invitationRevoked: 'L’invitation est révoquée.',
  invitation: 'Votre invitation',
  signInToJoin: 'pour répondre à l’invitation',
  joinHeading: 'Rejoindre {workspace} ?',
  invitedByLabel: 'Invitation de',
  theOperators: 'les personnes qui s’occupent de Creative Workspace',
  join: 'Rejoindre',
  no: 'Non',
  newAccount: 'Nouveau ici ?',
  createAndJoin: 'Créer un compte et rejoindre',
  haveAnAccount:
    'Vous avez déjà un compte ? [Identifiez-vous] et rejoignez l’espace avec celui-ci.',
  usernameTaken: 'Ce nom d’utilisateur est déjà pris. Choisissez-en un autre.',
  memberAlready:
    'Vous faites déjà partie de {workspace}. L’invitation reste valable pour quelqu’un d’autre.',
  joined: 'Vous avez rejoint l’espace de travail.',
  notJoined: 'Vous n’avez pas rejoint l’espace',
  notJoinedText:
    'Vous n’êtes pas dans {workspace}. Vous avez changé d’avis ? Le lien reste valable jusqu’à son expiration.',
  answerOnceMore:
    'Cette page est restée ouverte trop longtemps, ou un autre lien ou une identification est venu entre-temps. Regardez-la à nouveau, puis répondez encore une fois.',
  linkGoneTitle: 'Ce lien n’est plus valable',
  linkGone:
    'Il a été utilisé, a expiré ou a été révoqué. Demandez-en un nouveau à la personne qui vous l’a donné.',
  usedItYourself:
    'L’avez-vous utilisé vous-même ? Alors tout est fait : [continuer vers vos photos].',
  chooseNewPassword: 'Choisir un nouveau mot de passe',
  browsersSignedOut: 'La session est fermée dans tous les navigateurs, sauf celui-ci.',
  saveAndSignIn: 'Enregistrer et s’identifier',
};
