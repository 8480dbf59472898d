/** Where programs find projects. */
export const PROJECTS_API_PATH = '/api/v1/projects';

/** Addresses of the pages about projects. */
export const PROJECTS = {
  root: '/projects',
  project: (id: string) => `/projects/${id}`,
} as const;
