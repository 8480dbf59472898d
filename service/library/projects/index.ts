export { countPhotos } from './photo-counts.js';
export { projectForm, projectOptions } from './project-components.js';
export { projectNameField, projectNameProblem, refusalSentence } from './project-form.js';
export { MAX_PROJECTS, type ProjectTable } from './project-table.js';
export {
  MAX_PROJECT_NAME,
  mayManage,
  NO_PROJECT,
  type PhotoCounts,
  type Project,
} from './project.js';
