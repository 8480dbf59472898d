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
  shares: 'Links de acesso',
  shareByLink: 'Compartilhar por link',
  newShare: 'Novo link',
  newShareOfPhoto: 'Quem tiver o link vê a foto {name} e pode baixá-la, sem entrar.',
  newShareOfProject:
    'Quem tiver o link vê, sem entrar, as fotos do projeto {name} que você vê, também as que chegarem depois, e pode baixá-las.',
  shareWorksFor: 'Funciona por',
  sharePassword: 'Senha (opcional)',
  sharePasswordText: 'Pelo menos {min} caracteres. Informe-a por outro meio que não o do link.',
  createShare: 'Criar link',
  shareMade: 'Link criado',
  shareOnce:
    'Este é o link. Copie-o agora: ele não será mostrado de novo. Se ele se perder, crie outro.',
  sharePasswordLength: 'Uma senha tem no mínimo {min} e no máximo {max} caracteres.',
  chooseShareTime: 'Escolha por quanto tempo o link funciona.',
  tooManyShares:
    'Um espaço de trabalho pode ter {max} links. Revogue alguns que não são mais necessários.',
  sharesText:
    'Quem tiver um desses links vê o conteúdo dele sem entrar. Ele termina quando o prazo acaba e quando quem o criou sai do espaço de trabalho. Os proprietários veem aqui todos os links; os outros membros, os seus.',
  noShareYet: 'Não há nenhum link. Crie um na página de uma foto ou de um projeto.',
  shareOfPhoto: 'Foto: {name}',
  shareMadeBy: 'Criado em {time} por {person}',
  shareOpened: 'aberto pela última vez em {time}',
  shareNotOpened: 'ainda não foi aberto',
  shareHasPassword: 'com senha',
  shareRests:
    'No momento ele não funciona: a foto está na lixeira, o projeto está no arquivo ou quem o criou não vê mais a foto.',
  shareRevoked: 'O link foi revogado.',
  sharedBy: 'Compartilhado por {person}, {workspace}',
  sharedUntil: 'até {time}',
  sharedEmpty: 'No momento não há nenhuma foto aqui.',
  shareGoneTitle: 'Este link não funciona',
  shareGoneText: 'Ele expirou, foi revogado ou está incompleto. Peça um novo a quem o deu a você.',
  shareLockedTitle: 'É preciso uma senha',
  shareLockedText: 'Digite a senha deste link. Quem deu o link a você sabe qual é.',
  sharePasswordWrong: 'Esta senha não está certa. Tente de novo.',
  shareAgain:
    'Esta página ficou aberta por tempo demais ou o seu navegador não guardou o cookie dela. Digite a senha outra vez.',
  shareTooMany: 'Senhas demais foram tentadas. Tente de novo em {time}.',
  shareBusy:
    'Senhas demais estão sendo verificadas neste momento. Tente de novo em alguns segundos.',
};
