import { approveDevice, type SignIn } from '../support/browser-client.js';
import { listUploads, poll, startDevice, tokensOf } from '../support/oauth-client.js';
import { create } from '../support/tus-client.js';
import { check } from './programs.js';

/** A picture of one pixel. */
export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Connects a plugin with the pages of the service, as a user does, and uploads a photo. @returns the access token */
export async function uploadFirstPhoto(baseUrl: string, user: SignIn): Promise<string> {
  const { deviceCode, userCode } = await startDevice(baseUrl, 'uploads:write uploads:read');
  await approveDevice(baseUrl, userCode, user);
  const { accessToken } = tokensOf(await poll(baseUrl, deviceCode));
  const metadata = { filename: 'first.png' };
  const body = new Uint8Array(PICTURE);
  const created = await create(baseUrl, accessToken, { length: body.length, metadata, body });
  check(created.status === 201, `a photo is uploaded with status 201, not ${created.status}`);
  await checkFirstPhoto(baseUrl, accessToken);
  return accessToken;
}

/** Checks that the photo is listed. */
export async function checkFirstPhoto(baseUrl: string, accessToken: string): Promise<void> {
  const { body } = await listUploads(baseUrl, accessToken);
  const listed = JSON.stringify(body);
  check(listed.includes('first.png'), `the photo is listed, in ${listed}`);
}
