import { afterAll, beforeAll } from '@jest/globals';
import type { ServiceOptions } from '../../../service/start.js';
import { startTestService, type TestService } from './running-service.js';

/**
 * Starts a service before all tests of the surrounding `describe`, or of the file, and closes it after them. The returned
 * object has the properties of that service; they can be read in hooks and tests only.
 */
export function useService(options: Partial<ServiceOptions> = {}): TestService {
  let running: TestService | undefined;
  beforeAll(async () => {
    running = await startTestService(options);
  });
  afterAll(() => running?.close());
  return new Proxy({} as TestService, {
    get: (_target, property) => {
      if (running === undefined) throw new Error('the service of these tests is not running yet');
      return Reflect.get(running, property) as unknown;
    },
  });
}
