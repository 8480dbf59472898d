/** Paths of the scripts and style sheets of the pages. */
export const CLIENT_FILES = {
  file: (name: string) => `/client/${name}`,
} as const;
