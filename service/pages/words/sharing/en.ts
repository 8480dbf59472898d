/** Words about projects, links and who sees what. */
export const enSharing = {
  projects: 'Projects',
  project: 'Project',
  anyProject: 'Any',
  noProject: 'None',
  projectNamed: 'Project: {project}',
  projectsText:
    'A photo lies in one project or in none. All members of the workspace see the names of its projects; of the photos in them, each sees what they may see.',
  newProjectName: 'Name of the new project',
  createProject: 'Create project',
  noProjectYet: 'There is no project yet.',
  archive: 'Archive',
  projectSettings: 'Manage',
  projectSettingsOf: 'Manage {name}',
  projectMade: 'The project is created.',
  projectArchived: 'The project is in the archive.',
  projectBack: 'The project is out of the archive again.',
  photosMoved: 'Moved.',
  nameTheProject: 'Give the project another name: it {problem}.',
  projectNameTaken: 'There is a project with this name already.',
  tooManyProjects: 'A workspace can have {max} projects, the archive included.',
  isArchived:
    'In the archive since {time}. Nothing can be moved into it, and its links do not work.',
  showItsPhotos: 'Show its photos',
  whoManagesProject:
    'Who made the project, and owners of the workspace, can rename and archive it.',
  rename: 'Rename',
  archiveText:
    'Its photos stay. Until it is brought back, nothing can be moved into it, and its links do not work.',
  bringBack: 'Bring back',
  archiveProject: 'Move to archive',
  moveToProject: 'Move to project',
  onlyOwnPhotos:
    'You can delete and move photos that you sent yourself. For those of others, ask them, or an owner of the workspace.',
  onlyOwnersOpen: 'Only owners of a workspace decide who sees its photos.',
  allMembersSee:
    'All members of this workspace see all of its photos. Who sent a photo, and owners, can delete it.',
  membersSeeOwn: 'Members of this workspace see the photos that they sent. Owners see all.',
  openViewing: 'Let all members see all photos',
  closeViewing: 'Show members only their own photos',
  shares: 'Links',
  shareByLink: 'Share by link',
  newShare: 'New link',
  newShareOfPhoto:
    'Whoever has the link sees the photo {name} and can download it, without signing in.',
  newShareOfProject:
    'Whoever has the link sees the photos of the project {name} that you see, also those that come later, and can download them, without signing in.',
  shareWorksFor: 'It works for',
  sharePassword: 'Password, if you like',
  sharePasswordText: 'At least {min} characters. Tell it to people in another way than the link.',
  createShare: 'Create link',
  shareMade: 'Link created',
  shareOnce:
    'This is the link. Copy it now: it is not shown again. If it gets lost, make a new one.',
  sharePasswordLength: 'A password has at least {min} and at most {max} characters.',
  chooseShareTime: 'Choose how long the link works.',
  tooManyShares: 'A workspace can have {max} links. Revoke some that nobody needs any more.',
  sharesText:
    'Whoever has such a link sees what it leads to, without signing in. It ends when its time is over, and when its maker leaves the workspace. Owners see all links here, other members their own.',
  noShareYet: 'There is no link. Make one on the page of a photo, or of a project.',
  shareOfPhoto: 'Photo: {name}',
  shareMadeBy: 'Made {time} by {person}',
  shareOpened: 'last opened {time}',
  shareNotOpened: 'not opened yet',
  shareHasPassword: 'with a password',
  shareRests:
    'It does not work at present: its photo is in the trash, its project is in the archive, or its maker no longer sees the photo.',
  shareRevoked: 'The link is revoked.',
  sharedBy: 'Shared by {person}, {workspace}',
  sharedUntil: 'until {time}',
  sharedEmpty: 'There is no photo here at present.',
  shareGoneTitle: 'This link does not work',
  shareGoneText:
    'Its time is over, it was taken back, or a part of it is missing. Ask whoever gave it to you for a new one.',
  shareLockedTitle: 'A password is needed',
  shareLockedText:
    'Enter the password that belongs to this link. Whoever gave you the link knows it.',
  sharePasswordWrong: 'This password is not right. Try again.',
  shareAgain:
    'This page was open for too long, or your browser did not keep its cookie. Enter the password again.',
  shareTooMany: 'Too many passwords were tried. Try again in {time}.',
  shareBusy: 'Too many passwords are being checked at this moment. Try again in a few seconds.',
} as const;
