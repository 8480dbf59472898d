import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { formOf } from '../../../../service/kernel/http/request/form.js';
import { foldTyped, foldUsername } from '../../../../service/kernel/typed-text.js';
import { plainMetadata } from '../../../../service/library/uploads/tus/metadata.js';
import { TestBrowser } from '../../support/browser-client.js';
import { startDevice } from '../../support/oauth-client.js';
import { addUser, addWorkspace, type TestUser } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { authorization } from '../../support/tus-client.js';

describe('form parsing', () => {
  const TYPE = 'application/x-www-form-urlencoded';
  it.each([
    [TYPE, 'a=b'],
    ['Application/X-WWW-Form-URLEncoded ; charset="UTF-8"', 'a=b'],
    [`${TYPE};charset=utf8`, 'a=%C3%BC'],
    [`${TYPE}; charset=ISO-8859-1`, 'a=b'],
    [`${TYPE}; foo=bar; charset="us-ascii"`, 'a=%41+b'],
    [`${TYPE}; charset=windows-1252`, 'a=%7E%25'],
  ])('returns %s for the body %s', (type, body) => {
    expect(formOf(type, Buffer.from(body))).toBeInstanceOf(URLSearchParams);
  });

  it.each([
    [`${TYPE}; charset=ISO-8859-1`, 'a=%FC'],
    [`${TYPE}; charset=ISO-8859-1`, 'a=%c3%bc'],
    [`${TYPE}; charset=ISO-8859-1`, 'a=ü'],
    [`${TYPE}; charset=utf-16`, 'a=b'],
    [`${TYPE}; charset=UTF-32LE`, 'a=b'],
  ])('returns the problem %s for the body %s', (type, body) => {
    expect(formOf(type, Buffer.from(body))).toEqual({ problem: 'the form must be in UTF-8' });
  });

  it.each(['application/x-www-form-urlencoded2', 'text/plain; x=application/json', ''])(
    'ignores the content type %p',
    (type) => {
      expect(formOf(type, Buffer.from('a=b'))).toBeUndefined();
    },
  );
});

describe('text that a user types', () => {
  it.each([
    [' BCDF-GHJK ', 'BCDF-GHJK'],
    ['ＢＣＤＦ－ＧＨＪＫ', 'BCDF-GHJK'],
    ['BCDF\u2010GHJK', 'BCDF-GHJK'],
    ['BCDF\u2011GHJK', 'BCDF-GHJK'],
    ['BCDF\u2013GHJK', 'BCDF-GHJK'],
    ['BCDF\u2014GHJK', 'BCDF-GHJK'],
    ['BCDF\u2212GHJK', 'BCDF-GHJK'],
    ['BCDFーGHJK', 'BCDF-GHJK'],
    ['\u3000a１\u3000', 'a1'],
  ])('%p is %s', (typed, meant) => {
    expect(foldTyped(typed)).toBe(meant);
  });

  it('folds the letter case of usernames', () => {
    expect(foldUsername(' Ｍaria–ＬÓPEZ ')).toBe('maria-lópez');
  });
});

describe('Upload-Metadata', () => {
  it.each([
    ['filename YQ==,filetype Yg==', 'filename YQ==,filetype Yg=='],
    ['filename YQ==, filetype Yg==', 'filename YQ==,filetype Yg=='],
    ['filename YQ== ,\tfiletype Yg==,', 'filename YQ==,filetype Yg=='],
    [',, filename  YQ==, ,', 'filename YQ=='],
    ['is_confidential,filename YQ==', 'is_confidential,filename YQ=='],
    ['empty ,filename YQ==', 'empty ,filename YQ=='],
    [' , ', ''],
  ])('%p is %p', (header, plain) => {
    expect(plainMetadata(header)).toBe(plain);
  });
});

describe('lenient inputs', () => {
  let user: TestUser;
  let token: string;

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    user = await addUser(service, { [workspaceId]: 'member' });
    token = (await service.connect()).accessToken;
  });

  /** Sends a request; a header that is a list is sent in several lines. */
  const send = (
    method: string,
    path: string,
    headers: Record<string, string | string[]>,
    body = '',
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }> =>
    new Promise((resolve, reject) => {
      const all = { 'tus-resumable': '1.0.0', ...authorization(token), ...headers };
      request(service.baseUrl + path, { method, headers: all, agent: false }, (response) => {
        response.resume();
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers });
        });
      })
        .once('error', reject)
        .end(body);
    });

  it.each([
    ['a space after the comma', 'filename YS5qcGc=, filetype aW1hZ2UvanBlZw=='],
    ['a comma at the end', 'filename YS5qcGc=,filetype aW1hZ2UvanBlZw==,'],
    ['two header lines', ['filename YS5qcGc=', 'filetype aW1hZ2UvanBlZw==']],
  ])('accepts metadata with %s and returns it unchanged', async (_form, metadata) => {
    const created = await send('POST', '/api/v1/uploads', {
      'upload-length': '3',
      'upload-metadata': metadata,
    });
    expect(created.status).toBe(201);
    const head = await send('HEAD', String(created.headers['location']), {});
    expect(head.headers['upload-metadata']).toBe('filename YS5qcGc=,filetype aW1hZ2UvanBlZw==');
  });

  it.each(['Application/Offset+Octet-Stream', 'application/offset+octet-stream; v=1'])(
    'accepts bytes as %s',
    async (type) => {
      const created = await send(
        'POST',
        '/api/v1/uploads',
        { 'upload-length': '6', 'content-type': type },
        'abc',
      );
      expect([created.status, created.headers['upload-offset']]).toEqual([201, '3']);
      const headers = { 'content-type': type, 'upload-offset': '3' };
      const patched = await send('PATCH', String(created.headers['location']), headers, 'def');
      expect([patched.status, patched.headers['upload-offset']]).toEqual([204, '6']);
    },
  );

  it.each(['APPLICATION/JSON', 'application/json\t; charset=utf-8'])(
    'accepts a duplicate check as %s',
    async (type) => {
      const body = JSON.stringify({ files: [] });
      const known = await send('POST', '/api/v1/uploads/known', { 'content-type': type }, body);
      expect(known.status).toBe(200);
    },
  );

  const wide = (text: string): string =>
    text.replace(/[!-~]/gu, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));

  it('accepts a code and a username in full-width characters', async () => {
    const browser = new TestBrowser(service.baseUrl);
    const { userCode } = await startDevice(service.baseUrl);
    await browser.open('/oauth/device');
    await browser.submit('Continue', { user_code: wide(userCode) });
    const { password } = user;
    await browser.submit('Sign in', { username: wide(user.username.toUpperCase()), password });
    expect((await browser.submit('Allow')).text).toContain('Choose this number');
  });

  it('accepts a code in full-width characters in a URL', async () => {
    const { userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    const page = await browser.open(
      `/oauth/device?user_code=${encodeURIComponent(wide(userCode))}`,
    );
    expect(page.text).toContain(userCode);
  });

  it('counts wrong passwords for all spellings of a username together', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const browser = new TestBrowser(service.baseUrl);
      await browser.open('/settings/sign-in');
      const username = attempt % 2 === 0 ? wide('somebody') : ' SomeBody';
      statuses.push((await browser.submit('Sign in', { username, password: 'wrong' })).status);
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
  });
});
