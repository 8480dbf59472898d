/** Paths on the host of stored files. It has no others, and no other host has these. */
export const CONTENT = {
  file: (id: string) => `/content/${id}`,
} as const;
