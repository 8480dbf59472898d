export { moveFields, projectForm, projectOptions } from './project-components.js';
export { projectNameField, projectNameProblem, refusalSentence } from './project-form.js';
export type { ProjectTable } from './project-table.js';
export { mayManage, NO_PROJECT, type PhotoCounts, type Project } from './project.js';
