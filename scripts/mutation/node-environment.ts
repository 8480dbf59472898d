// Without endings: Jest compiles what an environment imports, and does not map endings there.
import WorkerEnvironment from '../../test/support/environment';
import { watched } from './watch';

/** The environment of the tests, watched for one-by-one.ts. */
export default watched(WorkerEnvironment);
