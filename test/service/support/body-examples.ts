/**
 * What `bodies.ts` of a feature has for each of its API requests with a JSON body, by method and path: bodies that the
 * request accepts, and bodies that it refuses.
 */
export type BodyExamples = Readonly<
  Record<string, Record<'accepted' | 'refused', readonly [object, ...object[]]>>
>;
