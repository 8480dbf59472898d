/**
 * Ends the process with one sentence when Node.js is older than the project needs. Every program imports this first, and
 * `npm ci` runs it. It is plain JavaScript, so that old versions of Node.js can read it.
 */

/** The least version, which `engines` of package.json names too. */
const LEAST = [20, 19];

/**
 * @param {string} version as in `process.versions.node`
 * @returns {string | undefined} what is wrong, in one sentence
 */
export function nodeVersionProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  return isEnough
    ? undefined
    : `Node.js ${LEAST.join('.')} or later is needed; this is ${version}.`;
}

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
