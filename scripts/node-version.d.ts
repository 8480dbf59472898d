/**
 * What is wrong with a version of Node.js, in one sentence; undefined when it is new enough.
 * @param version as in `process.versions.node`
 */
export function nodeVersionProblem(version: string): string | undefined;
