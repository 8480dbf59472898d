import { TestEnvironment } from 'jest-environment-jsdom';
// Without a file extension: Jest compiles what an environment imports, but does not map extensions there.
import { watched } from './watch';

/** The environment of the tests of the panel, watched for one-by-one.ts. */
export default watched(TestEnvironment);
