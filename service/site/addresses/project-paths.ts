/** The path of projects in the API. */
export const PROJECTS_API_PATH = '/api/v1/projects';

/** Paths of the pages about projects. */
export const PROJECTS = {
  root: '/projects',
  project: (id: string) => `/projects/${id}`,
} as const;
