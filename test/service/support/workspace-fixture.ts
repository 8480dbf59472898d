import { addPerson, addWorkspace, type Person } from './users.js';
import type { TestService } from './running-service.js';

/** A workspace with an owner and a member. */
export interface WorkspaceFixture {
  /** The workspace's id; its name is North Studio. */
  readonly workspaceId: string;
  readonly owner: Person;
  readonly member: Person;
}

export async function addWorkspaceFixture(service: TestService): Promise<WorkspaceFixture> {
  const workspaceId = await addWorkspace(service, 'North Studio');
  const owner = await addPerson(service, { [workspaceId]: 'owner' });
  const member = await addPerson(service, { [workspaceId]: 'member' });
  return { workspaceId, owner, member };
}
