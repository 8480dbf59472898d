/** Words about projects, links and who sees what. */
export const esSharing = {
  projects: 'Proyectos',
  project: 'Proyecto',
  anyProject: 'Cualquiera',
  noProject: 'Ninguno',
  projectNamed: 'Proyecto: {project}',
  projectsText:
    'Una foto está en un proyecto o en ninguno. Todos los miembros del espacio de trabajo ven los nombres de los proyectos; de sus fotos, cada cual ve las que puede ver.',
  newProjectName: 'Nombre del proyecto nuevo',
  createProject: 'Crear proyecto',
  noProjectYet: 'Todavía no hay ningún proyecto.',
  archive: 'Archivo',
  projectSettings: 'Administrar',
  projectSettingsOf: 'Administrar {name}',
  projectMade: 'El proyecto se ha creado.',
  projectArchived: 'El proyecto está en el archivo.',
  projectBack: 'El proyecto ya no está en el archivo.',
  photosMoved: 'Se ha movido.',
  nameTheProject: 'Dé otro nombre al proyecto: {problem}.',
  projectNameTaken: 'Ya hay un proyecto con este nombre.',
  tooManyProjects: 'Un espacio de trabajo puede tener {max} proyectos, archivo incluido.',
  isArchived:
    'En el archivo desde el {time}. No se puede mover nada a él y sus enlaces no funcionan.',
  showItsPhotos: 'Mostrar sus fotos',
  whoManagesProject:
    'Quien creó el proyecto y los propietarios del espacio de trabajo pueden cambiarle el nombre y archivarlo.',
  rename: 'Cambiar el nombre',
  archiveText:
    'Sus fotos se conservan. Mientras esté archivado, no se puede mover nada a él y sus enlaces no funcionan.',
  bringBack: 'Recuperar',
  archiveProject: 'Mover al archivo',
  moveToProject: 'Mover al proyecto',
  onlyOwnPhotos:
    'Puede eliminar y mover las fotos que usted ha enviado. Para las de otras personas, pregúnteles a ellas o a un propietario del espacio de trabajo.',
  onlyOwnersOpen: 'Solo los propietarios de un espacio de trabajo deciden quién ve sus fotos.',
  allMembersSee:
    'Todos los miembros de este espacio de trabajo ven todas sus fotos. Puede eliminar una foto quien la envió y los propietarios.',
  membersSeeOwn:
    'Los miembros de este espacio de trabajo ven las fotos que han enviado. Los propietarios las ven todas.',
  openViewing: 'Mostrar todas las fotos a todos los miembros',
  closeViewing: 'Mostrar a los miembros solo sus propias fotos',
};
