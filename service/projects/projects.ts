import type { VisitHandler } from '../visits/visit.js';
import { oneProject } from './one-project.js';
import { PROJECTS } from './paths.js';
import { projectList } from './project-list.js';
import type { ProjectTable } from './project-table.js';

/** The pages about projects, by their paths in the route table. */
export function projectPages(parts: {
  readonly projects: ProjectTable;
}): ReadonlyMap<string, VisitHandler> {
  return new Map<string, VisitHandler>([
    [PROJECTS.root, projectList(parts.projects)],
    [PROJECTS.project(':id'), oneProject(parts.projects)],
  ]);
}
