/** Requests that no well-behaved client sends. */
import { request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { approveDevice } from '../support/browser-client.js';
import type { SignIn } from '../support/browser-client.js';
import { CLIENT_ID, DEVICE_GRANT, postForm, tokensOf } from '../support/oauth-client.js';
import { authorization } from '../support/tus-client.js';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RawRequest {
  readonly method: string;
  /** Goes into the request line as it is. */
  readonly target: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Sends one request by tus with exactly this target; resolves to its answer. */
export function sendRaw(baseUrl: string, raw: RawRequest): Promise<RawAnswer> {
  const request = openRaw(baseUrl, raw);
  request.end(raw.body);
  return answerOf(request);
}

/** Begins a request; the caller writes its body. */
export function openRaw(baseUrl: string, raw: RawRequest): ClientRequest {
  const { hostname, port } = new URL(baseUrl);
  return httpRequest({
    hostname,
    port,
    method: raw.method,
    path: raw.target,
    agent: false,
    headers: {
      'tus-resumable': '1.0.0',
      ...(raw.token !== undefined && authorization(raw.token)),
      ...raw.headers,
    },
  });
}

/** The answer to a request, also when it comes before the request's end. */
export function answerOf(request: ClientRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
  });
}

/** An access token by the device flow, with the user's approval. */
export async function connectApp(
  baseUrl: string,
  signIn: SignIn,
  { clientId = CLIENT_ID, scope = 'uploads:write' }: { clientId?: string; scope?: string } = {},
): Promise<string> {
  const device = await postForm(`${baseUrl}/api/oauth/device_authorization`, {
    client_id: clientId,
    scope,
  });
  await approveDevice(baseUrl, String(device.body['user_code']), signIn);
  const tokens = await postForm(`${baseUrl}/api/oauth/token`, {
    client_id: clientId,
    grant_type: DEVICE_GRANT,
    device_code: String(device.body['device_code']),
  });
  return tokensOf(tokens).accessToken;
}

/** Waits until something holds, for at most two minutes: far more than anything takes on a busy machine. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it did not come to hold in two minutes');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
