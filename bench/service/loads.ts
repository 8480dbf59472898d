import { randomBytes } from 'node:crypto';

import { CLIENT_ID, DEVICE_GRANT, startDevice } from '../../test/service/support/oauth-client.js';
import { authorization, create, locationOf, photo } from '../../test/service/support/tus-client.js';
import type { RunningRelease } from '../release.js';

const DEVICES_PER_CONNECTION = 40;
const PHOTO_BYTES = 10_000;
/** Longer than all bytes of one connection. */
const LONG_BYTES = 512 * 1024 * 1024;

/** One request, as a connection sends it. */
export interface LoadRequest {
  readonly method: 'POST' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The requests of one connection. */
export interface LoadClient {
  /** The status that each answer has. */
  readonly status: number;
  next(): LoadRequest;
  /** Hears of each answer before it makes the next request. */
  told?(answer: string): void;
}

/** The last address that asked for device codes: each may have a hundred in a quarter of an hour. */
let devicesFrom = 0;

/** The repeated requests of a load, by name. */
export const LOADS: Readonly<Record<string, (target: RunningRelease) => Promise<LoadClient>>> = {
  'token refresh': async (target) => {
    let { refreshToken } = await target.connect();
    return {
      status: 200,
      next: () =>
        token(target, {
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          refresh_attempt: randomBytes(32).toString('base64url'),
        }),
      told: (answer) => {
        const body = JSON.parse(answer) as { readonly refresh_token: string };
        refreshToken = body.refresh_token;
      },
    };
  },
  'device polling': async (target) => {
    const codes: string[] = [];
    devicesFrom += 1;
    const headers = { 'x-forwarded-for': `192.0.${devicesFrom >> 8}.${devicesFrom & 255}` };
    for (let index = 0; index < DEVICES_PER_CONNECTION; index += 1) {
      codes.push((await startDevice(target.ownUrl, undefined, headers)).deviceCode);
    }
    let turn = 0;
    return {
      status: 400,
      next: () => {
        turn += 1;
        const code = codes[turn % codes.length] ?? '';
        return token(target, { grant_type: DEVICE_GRANT, device_code: code });
      },
    };
  },
  'part of a photo': async (target) => {
    const { accessToken } = await target.connect();
    const created = await create(target.ownUrl, accessToken, { length: LONG_BYTES });
    const url = locationOf(target.ownUrl, created);
    const body = photo(PHOTO_BYTES);
    let sent = 0;
    return {
      status: 204,
      next: () => {
        const headers = { ...tus(accessToken), 'upload-offset': String(sent) };
        sent += PHOTO_BYTES;
        return { method: 'PATCH', url, headers, body };
      },
    };
  },
  // Last: it leaves work for later.
  'small photo': async (target) => {
    const { accessToken } = await target.connect();
    const body = photo(PHOTO_BYTES);
    const headers = { ...tus(accessToken), 'upload-length': String(PHOTO_BYTES) };
    const url = `${target.ownUrl}/api/v1/uploads`;
    return { status: 201, next: () => ({ method: 'POST', url, headers, body }) };
  },
};

function tus(accessToken: string): Record<string, string> {
  return {
    ...authorization(accessToken),
    'tus-resumable': '1.0.0',
    'content-type': 'application/offset+octet-stream',
  };
}

function token(target: RunningRelease, fields: Readonly<Record<string, string>>): LoadRequest {
  return {
    method: 'POST',
    url: `${target.ownUrl}/api/oauth/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: CLIENT_ID, ...fields }).toString(),
  };
}
