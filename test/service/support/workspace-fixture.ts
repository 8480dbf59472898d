import { addUser, addWorkspace, type TestUser } from './users.js';
import type { TestService } from './running-service.js';

/** A workspace with an owner and a member. */
export interface WorkspaceFixture {
  /** The workspace's id; its name is North Studio. */
  readonly workspaceId: string;
  readonly owner: TestUser;
  readonly member: TestUser;
}

export async function addWorkspaceFixture(service: TestService): Promise<WorkspaceFixture> {
  const workspaceId = await addWorkspace(service, 'North Studio');
  const owner = await addUser(service, { [workspaceId]: 'owner' });
  const member = await addUser(service, { [workspaceId]: 'member' });
  return { workspaceId, owner, member };
}
