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
};
