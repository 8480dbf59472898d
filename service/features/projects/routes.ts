import { getAndPost, type Route } from '../../platform/http/router.js';
import type { SessionGuard } from '../../auth/session/session-guard.js';
import { oneProject } from './project-page.js';
import { PROJECTS } from '../../platform/paths/project-paths.js';
import { projectList } from './project-list.js';
import type { ProjectTable } from './project-table.js';

/** The pages about projects. */
export function projectRoutes({
  guard,
  projects,
}: {
  readonly guard: SessionGuard;
  readonly projects: ProjectTable;
}): Route[] {
  return [
    guard.page(PROJECTS.root, getAndPost(projectList(projects))),
    guard.page(PROJECTS.project(':id'), getAndPost(oneProject(projects))),
  ];
}
