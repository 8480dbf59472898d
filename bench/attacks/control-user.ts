import { approveDevice, TestBrowser } from '../../test/service/support/browser-client.js';
import type { SignIn } from '../../test/service/support/browser-client.js';
import {
  listUploads,
  poll,
  startDevice,
  tokensOf,
} from '../../test/service/support/oauth-client.js';
import type { Tokens } from '../../test/service/support/oauth-client.js';
import { create, photo, sha256 } from '../../test/service/support/tus-client.js';

/** The client address of the control user. */
const ADDRESS = '192.0.2.17';
const PHOTO = photo(2_000_000, 5);
const PHOTO_SHA256 = sha256(PHOTO);

/** How long each part took, in seconds. */
export interface ControlTimes {
  readonly signIn: number;
  readonly upload: number;
}

/** Signs in by the device flow: code, code page, sign-in page, Allow, tokens. */
export async function signInControlUser(baseUrl: string, user: SignIn): Promise<Tokens> {
  const browser = new TestBrowser(baseUrl);
  browser.comesFrom(ADDRESS);
  const from = { 'x-forwarded-for': ADDRESS };
  const { deviceCode, userCode } = await startDevice(baseUrl, undefined, from);
  const last = await approveDevice(baseUrl, userCode, user, browser);
  if (last.status !== 200) {
    throw new Error(`Allow was answered with ${last.status}`);
  }
  return tokensOf(await poll(baseUrl, deviceCode));
}

/** Signs in, uploads a photo of 2 MB and finds its digest in the list. */
export async function measureControlUser(baseUrl: string, user: SignIn): Promise<ControlTimes> {
  const started = performance.now();
  const { accessToken } = await signInControlUser(baseUrl, user);
  const signedIn = performance.now();
  const response = await create(baseUrl, accessToken, { length: PHOTO.length, body: PHOTO });
  if (response.status !== 201) {
    throw new Error(`the photo was answered with ${response.status}`);
  }
  const uploaded = performance.now();
  const id = response.headers.get('location')?.split('/').at(-1);
  const list = JSON.stringify((await listUploads(baseUrl, accessToken)).body);
  if (id === undefined || !list.includes(id) || !list.includes(PHOTO_SHA256)) {
    throw new Error('the photo is not in the list as it was sent');
  }
  return { signIn: (signedIn - started) / 1000, upload: (uploaded - signedIn) / 1000 };
}
