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
} as const;
