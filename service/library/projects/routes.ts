import { getAndPost, type Route } from '../../kernel/http/router.js';
import type { SessionGuard } from '../../identity/index.js';
import { PROJECTS } from '../../site/addresses/project-paths.js';
import { projectList } from './project-list.js';
import type { ProjectTable } from './project-table.js';

/** The list of projects. The page of one is among those of photos. */
export function projectRoutes({
  guard,
  projects,
}: {
  readonly guard: SessionGuard;
  readonly projects: ProjectTable;
}): Route[] {
  return [guard.page(PROJECTS.root, getAndPost(projectList(projects)))];
}
