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
  shares: 'Enlaces',
  shareByLink: 'Compartir con un enlace',
  newShare: 'Enlace nuevo',
  newShareOfPhoto:
    'Quien tenga el enlace verá la foto {name} y podrá descargarla sin iniciar sesión.',
  newShareOfProject:
    'Quien tenga el enlace verá, sin iniciar sesión, las fotos del proyecto {name} que usted ve, también las que lleguen después, y podrá descargarlas.',
  shareWorksFor: 'Funciona durante',
  sharePassword: 'Contraseña (opcional)',
  sharePasswordText: 'Al menos {min} caracteres. Comuníquela por otro medio que el enlace.',
  createShare: 'Crear enlace',
  shareMade: 'Enlace creado',
  shareOnce: 'Este es el enlace. Cópielo ahora: no se volverá a mostrar. Si se pierde, cree otro.',
  sharePasswordLength: 'Una contraseña tiene al menos {min} y como máximo {max} caracteres.',
  chooseShareTime: 'Elija cuánto tiempo funciona el enlace.',
  tooManyShares:
    'Un espacio de trabajo puede tener {max} enlaces. Revoque algunos que ya no hagan falta.',
  sharesText:
    'Quien tenga un enlace de estos verá su contenido sin iniciar sesión. Termina cuando vence su plazo y cuando quien lo creó deja el espacio de trabajo. Los propietarios ven aquí todos los enlaces; los demás miembros, los suyos.',
  noShareYet: 'No hay ningún enlace. Se crea en la página de una foto o de un proyecto.',
  shareOfPhoto: 'Foto: {name}',
  shareMadeBy: 'Creado el {time} por {person}',
  shareOpened: 'abierto por última vez el {time}',
  shareNotOpened: 'todavía no se ha abierto',
  shareHasPassword: 'con contraseña',
  shareRests:
    'Ahora no funciona: su foto está en la papelera, su proyecto está en el archivo o quien lo creó ya no ve la foto.',
  shareRevoked: 'El enlace se ha revocado.',
  sharedBy: 'Compartido por {person}, {workspace}',
  sharedUntil: 'hasta el {time}',
  sharedEmpty: 'Ahora no hay ninguna foto aquí.',
  shareGoneTitle: 'Este enlace no funciona',
  shareGoneText: 'Ha caducado, se ha revocado o le falta una parte. Pida otro a quien se lo dio.',
  shareLockedTitle: 'Se necesita una contraseña',
  shareLockedText: 'Escriba la contraseña de este enlace. La conoce quien le dio el enlace.',
  sharePasswordWrong: 'Esta contraseña no es correcta. Inténtelo de nuevo.',
  shareAgain:
    'Esta página estuvo abierta demasiado tiempo o su navegador no guardó su cookie. Escriba la contraseña otra vez.',
  shareTooMany: 'Se han probado demasiadas contraseñas. Inténtelo de nuevo dentro de {time}.',
  shareBusy:
    'En este momento se comprueban demasiadas contraseñas. Inténtelo de nuevo en unos segundos.',
};
