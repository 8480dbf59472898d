import { TestEnvironment } from 'jest-environment-jsdom';
// Without an ending: Jest compiles what an environment imports, and does not map endings there.
import { watched } from './watch';

/** The environment of the tests of the panel, watched for one-by-one.ts. */
export default watched(TestEnvironment);
