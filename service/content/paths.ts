/** Where the host of its own hands out stored files; nothing else is there, and this is nowhere else. */
export const CONTENT = {
  file: (id: string) => `/content/${id}`,
} as const;
