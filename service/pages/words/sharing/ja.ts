/** Words about projects, links and who sees what. */
export const jaSharing = {
  projects: 'プロジェクト',
  project: 'プロジェクト',
  anyProject: '指定なし',
  noProject: 'なし',
  projectNamed: 'プロジェクト: {project}',
  projectsText:
    '写真は一つのプロジェクトに入るか、どれにも入りません。プロジェクトの名前はワークスペースの全メンバーに表示され、写真は各自が表示できるものだけが表示されます。',
  newProjectName: '新しいプロジェクトの名前',
  createProject: 'プロジェクトを作成',
  noProjectYet: 'プロジェクトはまだありません。',
  archive: 'アーカイブ',
  projectSettings: '管理',
  projectSettingsOf: '管理: {name}',
  projectMade: 'プロジェクトを作成しました。',
  projectArchived: 'プロジェクトをアーカイブに移動しました。',
  projectBack: 'プロジェクトをアーカイブから戻しました。',
  photosMoved: '移動しました。',
  nameTheProject: 'プロジェクトの名前を直してください。名前は{problem}。',
  projectNameTaken: '同じ名前のプロジェクトがすでにあります。',
  tooManyProjects: 'ワークスペースのプロジェクトは、アーカイブを含めて{max}件までです。',
  isArchived: '{time}からアーカイブにあります。写真を移動できず、リンクは使えません。',
  showItsPhotos: 'このプロジェクトの写真を表示',
  whoManagesProject:
    'プロジェクトの作成者とワークスペースの所有者は、名前の変更とアーカイブができます。',
  rename: '名前を変更',
  archiveText: '写真は残ります。戻すまでは写真を移動できず、リンクは使えません。',
  bringBack: 'アーカイブから戻す',
  archiveProject: 'アーカイブに移動',
  moveToProject: 'プロジェクトに移動',
  onlyOwnPhotos:
    '削除と移動ができるのは、自分が送信した写真です。ほかの写真については、送信者かワークスペースの所有者に依頼してください。',
  onlyOwnersOpen: '写真を誰に表示するかを決められるのは、ワークスペースの所有者だけです。',
  allMembersSee:
    'このワークスペースの全メンバーにすべての写真が表示されます。削除できるのは送信者と所有者です。',
  membersSeeOwn: 'メンバーには自分が送信した写真だけが、所有者にはすべての写真が表示されます。',
  openViewing: '全メンバーにすべての写真を表示',
  closeViewing: 'メンバーには自分の写真だけを表示',
  shares: 'リンク',
  shareByLink: 'リンクで共有',
  newShare: '新しいリンク',
  newShareOfPhoto:
    'リンクを知っている人は、サインインせずに写真 {name} を表示し、ダウンロードできます。',
  newShareOfProject:
    'リンクを知っている人は、サインインせずに、プロジェクト {name} のうちあなたに表示される写真を、後から加わるものも含めて表示し、ダウンロードできます。',
  shareWorksFor: '有効期間',
  sharePassword: 'パスワード (任意)',
  sharePasswordText: '{min}文字以上。リンクとは別の方法で相手に伝えてください。',
  createShare: 'リンクを作成',
  shareMade: 'リンクを作成しました',
  shareOnce:
    'これがリンクです。再び表示されないので、今コピーしてください。なくした場合は、新しいリンクを作成してください。',
  sharePasswordLength: 'パスワードは{min}文字以上{max}文字以内にしてください。',
  chooseShareTime: 'リンクの有効期間を選んでください。',
  tooManyShares: 'ワークスペースのリンクは{max}件までです。不要なリンクを無効にしてください。',
  sharesText:
    'リンクを知っている人は、サインインせずに内容を表示できます。リンクは、期限が来たときと、作成者がワークスペースを離れたときに終わります。所有者にはすべてのリンクが、ほかのメンバーには自分のリンクが表示されます。',
  noShareYet: 'リンクはありません。写真かプロジェクトのページで作成できます。',
  shareOfPhoto: '写真: {name}',
  shareMadeBy: '{time}に{person}が作成',
  shareOpened: '最後に開いた日時: {time}',
  shareNotOpened: 'まだ開かれていません',
  shareHasPassword: 'パスワードあり',
  shareRests:
    '現在は使えません。写真がゴミ箱にあるか、プロジェクトがアーカイブにあるか、作成者に写真が表示されなくなっています。',
  shareRevoked: 'リンクを無効にしました。',
  sharedBy: '{person} ({workspace}) が共有',
  sharedUntil: '{time}まで',
  sharedEmpty: '現在、ここに写真はありません。',
  shareGoneTitle: 'このリンクは使えません',
  shareGoneText:
    '期限が切れたか、無効にされたか、一部が欠けています。受け取った相手に新しいリンクを依頼してください。',
  shareLockedTitle: 'パスワードが必要です',
  shareLockedText:
    'このリンクのパスワードを入力してください。リンクを受け取った相手が知っています。',
  sharePasswordWrong: 'パスワードが正しくありません。もう一度お試しください。',
  shareAgain:
    'ページを開いてから時間がたちすぎたか、ブラウザーがCookieを保存しませんでした。パスワードをもう一度入力してください。',
  shareTooMany: 'パスワードの入力回数が多すぎます。{time}後にもう一度お試しください。',
  shareBusy: '現在、多数のパスワードを確認しています。数秒後にもう一度お試しください。',
  scopeUploadsDelete:
    'あなたがいずれかのアプリでワークスペースに送信した写真をゴミ箱に移動し、戻すこと',
  scopeProjectsWrite:
    'ワークスペースの全プロジェクトの名前を表示し、プロジェクトを作成し、権限の範囲で名前の変更とアーカイブを行い、あなたが送信した写真を移動すること',
  scopeWorkspaceRead:
    '同僚のものも含め、ワークスペースであなたに表示されるすべての写真とプロジェクトを表示し、元ファイルを取得すること',
};
