/** Words about projects, links and who sees what. */
export const frSharing = {
  projects: 'Projets',
  project: 'Projet',
  anyProject: 'N’importe lequel',
  noProject: 'Aucun',
  projectNamed: 'Projet : {project}',
  projectsText:
    'Une photo se trouve dans un projet ou dans aucun. Tous les membres de l’espace de travail voient les noms des projets ; des photos qu’ils contiennent, chacun voit ce qu’il a le droit de voir.',
  newProjectName: 'Nom du nouveau projet',
  createProject: 'Créer le projet',
  noProjectYet: 'Il n’y a encore aucun projet.',
  archive: 'Archives',
  projectSettings: 'Gérer',
  projectSettingsOf: 'Gérer {name}',
  projectMade: 'Le projet est créé.',
  projectArchived: 'Le projet est archivé.',
  projectBack: 'Le projet n’est plus archivé.',
  photosMoved: 'Déplacement effectué.',
  nameTheProject: 'Donnez un autre nom au projet : ce nom {problem}.',
  projectNameTaken: 'Un projet porte déjà ce nom.',
  tooManyProjects: 'Un espace de travail peut avoir {max} projets, archives comprises.',
  isArchived:
    'Archivé depuis le {time}. Rien ne peut y être placé, et ses liens ne fonctionnent pas.',
  showItsPhotos: 'Afficher ses photos',
  whoManagesProject:
    'La personne qui a créé le projet et les propriétaires de l’espace de travail peuvent le renommer et l’archiver.',
  rename: 'Renommer',
  archiveText:
    'Ses photos restent. Tant qu’il est archivé, rien ne peut y être placé, et ses liens ne fonctionnent pas.',
  bringBack: 'Désarchiver',
  archiveProject: 'Archiver',
  moveToProject: 'Placer dans le projet',
  onlyOwnPhotos:
    'Vous pouvez supprimer et déplacer les photos que vous avez envoyées. Pour les autres, adressez-vous à leur expéditeur ou à un propriétaire de l’espace de travail.',
  onlyOwnersOpen: 'Seuls les propriétaires d’un espace de travail décident qui voit ses photos.',
  allMembersSee:
    'Tous les membres de cet espace de travail voient toutes ses photos. Seuls l’expéditeur d’une photo et les propriétaires peuvent la supprimer.',
  membersSeeOwn:
    'Les membres de cet espace de travail voient les photos qu’ils ont envoyées. Les propriétaires les voient toutes.',
  openViewing: 'Montrer toutes les photos à tous les membres',
  closeViewing: 'Ne montrer aux membres que leurs propres photos',
  shares: 'Liens',
  shareByLink: 'Partager par un lien',
  newShare: 'Nouveau lien',
  newShareOfPhoto:
    'Toute personne qui a le lien voit la photo {name} et peut la télécharger, sans s’identifier.',
  newShareOfProject:
    'Toute personne qui a le lien voit, sans s’identifier, les photos du projet {name} que vous voyez, y compris celles qui s’y ajouteront, et peut les télécharger.',
  shareWorksFor: 'Durée de validité',
  sharePassword: 'Mot de passe (facultatif)',
  sharePasswordText: 'Au moins {min} caractères. Communiquez-le par un autre moyen que le lien.',
  createShare: 'Créer le lien',
  shareMade: 'Lien créé',
  shareOnce:
    'Voici le lien. Copiez-le maintenant : il ne sera plus affiché. S’il se perd, créez-en un autre.',
  sharePasswordLength: 'Un mot de passe a au moins {min} et au plus {max} caractères.',
  chooseShareTime: 'Choisissez la durée de validité du lien.',
  tooManyShares:
    'Un espace de travail peut avoir {max} liens. Révoquez-en quelques-uns qui ne servent plus.',
  sharesText:
    'Toute personne qui a un tel lien voit ce à quoi il mène, sans s’identifier. Il prend fin à son échéance, et quand la personne qui l’a créé quitte l’espace de travail. Les propriétaires voient ici tous les liens, les autres membres les leurs.',
  noShareYet: 'Il n’y a aucun lien. Vous en créez un sur la page d’une photo ou d’un projet.',
  shareOfPhoto: 'Photo : {name}',
  shareMadeBy: 'Création : {time} par {person}',
  shareOpened: 'dernière ouverture : {time}',
  shareNotOpened: 'pas encore ouvert',
  shareHasPassword: 'avec mot de passe',
  shareRests:
    'Il ne fonctionne pas actuellement : sa photo est dans la corbeille, son projet est archivé, ou la personne qui l’a créé ne voit plus la photo.',
  shareRevoked: 'Le lien est révoqué.',
  sharedBy: 'Partage de {person}, {workspace}',
  sharedUntil: 'jusqu’au {time}',
  sharedEmpty: 'Il n’y a pas de photo ici pour le moment.',
  shareGoneTitle: 'Ce lien ne fonctionne pas',
  shareGoneText:
    'Il a expiré, il a été révoqué, ou il est incomplet. Demandez-en un nouveau à la personne qui vous l’a donné.',
  shareLockedTitle: 'Un mot de passe est nécessaire',
  shareLockedText:
    'Saisissez le mot de passe de ce lien. La personne qui vous a donné le lien le connaît.',
  sharePasswordWrong: 'Ce mot de passe n’est pas le bon. Réessayez.',
  shareAgain:
    'Cette page est restée ouverte trop longtemps, ou votre navigateur n’a pas gardé son cookie. Saisissez de nouveau le mot de passe.',
  shareTooMany: 'Trop de mots de passe ont été essayés. Réessayez dans {time}.',
  shareBusy: 'Trop de mots de passe sont vérifiés en ce moment. Réessayez dans quelques secondes.',
};
