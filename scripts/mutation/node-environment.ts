// Without file extensions: Jest compiles what an environment imports, but does not map extensions there.
import WorkerEnvironment from '../../test/support/environment';
import { watched } from './watch';

/** The environment of the tests, watched for one-by-one.ts. */
export default watched(WorkerEnvironment);
