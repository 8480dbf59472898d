/** A small OAuth client for tests: sends what a plugin sends and returns what came back. */
export const CLIENT_ID = 'creative-workspace-plugin';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface DeviceAuthorization {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Posts a form and reads the JSON that comes back; an empty body reads as `{}`. */
export async function postForm(
  url: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form), headers });
  const text = await response.text();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: body as Answer['body'] };
}

export function requestDevice(
  baseUrl: string,
  scope = 'uploads:write',
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const form = { client_id: CLIENT_ID, scope };
  return postForm(`${baseUrl}/api/oauth/device_authorization`, form, headers);
}

export async function startDevice(
  baseUrl: string,
  scope?: string,
  headers?: Readonly<Record<string, string>>,
): Promise<DeviceAuthorization> {
  const { body } = await requestDevice(baseUrl, scope, headers);
  return { deviceCode: text(body, 'device_code'), userCode: text(body, 'user_code'), body };
}

export function poll(baseUrl: string, deviceCode: string): Promise<Answer> {
  return postForm(`${baseUrl}/api/oauth/token`, {
    client_id: CLIENT_ID,
    grant_type: DEVICE_GRANT,
    device_code: deviceCode,
  });
}

export function refresh(
  baseUrl: string,
  refreshToken: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return postForm(`${baseUrl}/api/oauth/token`, {
    client_id: CLIENT_ID,
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...more,
  });
}

export function revoke(baseUrl: string, token: string, hint?: string): Promise<Answer> {
  return postForm(`${baseUrl}/api/oauth/revoke`, {
    client_id: CLIENT_ID,
    token,
    ...(hint !== undefined && { token_type_hint: hint }),
  });
}

export function tokensOf({ body }: Answer): Tokens {
  return { accessToken: text(body, 'access_token'), refreshToken: text(body, 'refresh_token') };
}

/** The list of uploads as this access token sees it. */
export async function listUploads(baseUrl: string, accessToken: string): Promise<Answer> {
  const response = await fetch(`${baseUrl}/api/v1/uploads`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  };
}

function text(body: Answer['body'], member: string): string {
  const value = body[member];
  if (typeof value !== 'string')
    throw new Error(`no ${member} in ${JSON.stringify(Object.keys(body))}`);
  return value;
}
