import { expect } from '@jest/globals';
import { connectAs, elementText, openSettings, send } from '../../support/users.js';
import type { SignIn } from '../../support/browser-client.js';
import type { TestService } from '../../support/running-service.js';
import { addWorkspaceFixture, type WorkspaceFixture } from '../../support/workspace-fixture.js';
import { jpeg } from '../../support/tus-client.js';

/** The target of a link, by its id. */
export interface Shareable {
  readonly photo?: string;
  readonly project?: string;
}

/** Creates a share link by the pages; returns its path. */
export async function shareAs(
  service: TestService,
  user: SignIn,
  about: Shareable,
  values: Readonly<Record<string, string>> = {},
): Promise<string> {
  const query = new URLSearchParams({ ...about }).toString();
  const browser = await openSettings(service, user, `/shares/new?${query}`);
  const page = await browser.submit('Create link', values);
  expect(page.status).toBe(201);
  return new URL(elementText(page, 'secret')).pathname;
}

export const JPEG = jpeg(300);

export interface SharedPhotos extends WorkspaceFixture {
  /** Photos of the member: a JPEG without a project, and one in the project. */
  readonly harbour: string;
  readonly night: string;
  readonly project: string;
}

/** A workspace with two photos and a project to share. */
export async function addSharedPhotos(service: TestService): Promise<SharedPhotos> {
  const fixture = await addWorkspaceFixture(service);
  const { member } = fixture;
  const token = await connectAs(service, member);
  const harbour = await send(service, token, 'Harbour <b>.jpg', JPEG);
  const night = await send(service, token, 'Night.jpg', jpeg(100, 2));
  const browser = await openSettings(service, member, '/projects');
  const made = await browser.submit('Create project', { name: 'Küste' });
  const project = new URL(made.url).pathname.split('/').at(-1) ?? '';
  await service.database.query('UPDATE uploads SET project_id = $1 WHERE id = $2', [
    project,
    night,
  ]);
  return { ...fixture, harbour, night, project };
}

/** Sends a request without a session or token. */
export function getAsAnybody(
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(baseUrl + path, { redirect: 'manual', ...init });
}

export async function statusAt(
  service: Pick<TestService, 'baseUrl'>,
  path: string,
): Promise<number> {
  const answer = await getAsAnybody(service, path);
  await answer.arrayBuffer();
  return answer.status;
}
