/** Addresses of the pages about projects. */
export const PROJECTS = {
  root: '/projects',
  project: (id: string) => `/projects/${id}`,
} as const;
