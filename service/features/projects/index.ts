export { moveFields, projectForm, projectLine, projectOptions } from './project-components.js';
export type { ProjectTable } from './project-table.js';
export { NO_PROJECT, type Project } from './project.js';
