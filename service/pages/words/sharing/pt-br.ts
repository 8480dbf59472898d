/** Words about projects, links and who sees what. */
export const ptBRSharing = {
  projects: 'Projetos',
  project: 'Projeto',
  anyProject: 'Qualquer um',
  noProject: 'Nenhum',
  projectNamed: 'Projeto: {project}',
  projectsText:
    'Uma foto fica em um projeto ou em nenhum. Todos os membros do espaço de trabalho veem os nomes dos projetos; das fotos neles, cada um vê as que pode ver.',
  newProjectName: 'Nome do novo projeto',
  createProject: 'Criar projeto',
  noProjectYet: 'Ainda não há nenhum projeto.',
  archive: 'Arquivo',
  projectSettings: 'Gerenciar',
  projectSettingsOf: 'Gerenciar {name}',
  projectMade: 'O projeto foi criado.',
  projectArchived: 'O projeto está no arquivo.',
  projectBack: 'O projeto saiu do arquivo.',
  photosMoved: 'Movido.',
  nameTheProject: 'Dê outro nome ao projeto: ele {problem}.',
  projectNameTaken: 'Já há um projeto com este nome.',
  tooManyProjects: 'Um espaço de trabalho pode ter {max} projetos, incluindo o arquivo.',
  isArchived:
    'No arquivo desde {time}. Nada pode ser movido para ele e os links dele não funcionam.',
  showItsPhotos: 'Mostrar as fotos dele',
  whoManagesProject:
    'Quem criou o projeto e os proprietários do espaço de trabalho podem renomeá-lo e arquivá-lo.',
  rename: 'Renomear',
  archiveText:
    'As fotos dele ficam. Enquanto estiver no arquivo, nada pode ser movido para ele e os links dele não funcionam.',
  bringBack: 'Trazer de volta',
  archiveProject: 'Mover para o arquivo',
  moveToProject: 'Mover para o projeto',
  onlyOwnPhotos:
    'Você pode excluir e mover as fotos que enviou. Para as de outras pessoas, fale com elas ou com um proprietário do espaço de trabalho.',
  onlyOwnersOpen: 'Só os proprietários de um espaço de trabalho decidem quem vê as fotos dele.',
  allMembersSee:
    'Todos os membros deste espaço de trabalho veem todas as fotos dele. Quem enviou uma foto e os proprietários podem excluí-la.',
  membersSeeOwn:
    'Os membros deste espaço de trabalho veem as fotos que enviaram. Os proprietários veem todas.',
  openViewing: 'Mostrar todas as fotos a todos os membros',
  closeViewing: 'Mostrar aos membros só as próprias fotos',
};
