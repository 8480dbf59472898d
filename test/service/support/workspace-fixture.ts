import { addPerson, addWorkspace, type Person } from './users.js';
import { startTestService, type TestService } from './running-service.js';

/** A service with one workspace, somebody who owns it and somebody who is a member. */
export interface Studio {
  readonly service: TestService;
  /** The workspace's id; its name is North Studio. */
  readonly studio: string;
  readonly owner: Person;
  readonly member: Person;
}

export async function startStudio(
  ...options: Parameters<typeof startTestService>
): Promise<Studio> {
  const service = await startTestService(...options);
  const studio = await addWorkspace(service, 'North Studio');
  const owner = await addPerson(service, { [studio]: 'owner' });
  const member = await addPerson(service, { [studio]: 'member' });
  return { service, studio, owner, member };
}
