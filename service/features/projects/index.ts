export { projectForm, projectLine, projectOptions } from './project-components.js';
export { projectNameProblem } from './project-form.js';
export { MAX_PROJECTS, type ProjectTable } from './project-table.js';
export { MAX_PROJECT_NAME, NO_PROJECT, type Project } from './project.js';
