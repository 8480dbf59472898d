import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import {
  ReceiptKeys,
  rotateReceiptKey,
} from '../../../../service/delivery/receipts/receipt-keys.js';
import { ReceiptWriter } from '../../../../service/delivery/receipts/receipt-writer.js';
import { MAX_RECEIPT_BYTES } from '../../../../service/delivery/receipts/receipt-check.js';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import { ProjectTable } from '../../../../service/library/projects/project-table.js';
import type { TestBrowser } from '../../support/browser-client.js';
import { addWorkspaceFixture, type WorkspaceFixture } from '../../support/workspace-fixture.js';
import { addUser, addWorkspace, connectAs, openSettings, send } from '../../support/users.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';
import fc from '../../../support/properties.js';

const service = useService();

type Json = Readonly<Record<string, unknown>>;

describe('a receipt', () => {
  let users: WorkspaceFixture;
  let token: string;
  let browser: TestBrowser;

  beforeAll(async () => {
    users = await addWorkspaceFixture(service);
    token = await connectAs(service, users.member);
    browser = await openSettings(service, users.member, '/photos');
  });

  const request = (body: unknown, bearer = token): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/receipts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  /** Verifies a receipt with a library other than the one that signs it. @throws when the signature is wrong */
  const open = async (jws: string): Promise<{ header: Json; payload: Json }> => {
    const kid = jwt.decode(jws, { complete: true })?.header.kid;
    const answer = await fetch(`${service.baseUrl}/api/v1/receipts/keys`);
    const { keys } = (await answer.json()) as { keys: JsonWebKey[] };
    const jwk = keys.find((key) => key['kid'] === kid);
    if (jwk === undefined) throw new Error('the key is not published');
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const { header, payload } = jwt.verify(jws, key, { algorithms: ['ES256'], complete: true });
    return { header: { ...header }, payload: payload as Json };
  };

  const verifyByForm = async (receipt: string): Promise<[status: number, markup: string]> => {
    const body = new FormData();
    body.set('receipt', new File([receipt], 'receipt.jws'));
    const answer = await fetch(`${service.baseUrl}/receipts/verify`, { method: 'POST', body });
    return [answer.status, await answer.text()];
  };

  it('lists name, size, SHA-256, type and times, signed with a published key', async () => {
    const bytes = photo(3000, 5);
    const first = await send(service, token, 'Hafen.psd', photo(3000, 4));
    const second = await send(service, token, 'Hafen.psd', bytes, { replaces: first });

    const answer = await request({ uploads: [second, second] });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/jose');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="receipt-\d{4}-\d\d-\d\d.jws"$/,
    );
    const { header, payload } = await open(await answer.text());
    expect(header).toEqual({ alg: 'ES256', typ: 'upload-receipt+jwt', kid: expect.any(String) });
    const [row] = await service.database.query<{ finished_at: Date; name: string }>(
      `SELECT finished_at, display_name AS name FROM uploads JOIN accounts ON accounts.id = account_id
        WHERE uploads.id = $1`,
      [second],
    );
    expect(payload).toEqual({
      iss: service.baseUrl,
      iat: expect.any(Number),
      workspace: 'North Studio',
      issued_to: row?.name,
      uploads: [
        {
          id: second,
          name: 'Hafen.psd',
          size: 3000,
          sha256: createHash('sha256').update(bytes).digest('hex'),
          type: 'text/html',
          uploaded: row?.finished_at.toISOString(),
          uploaded_by: row?.name,
          version: 2,
        },
      ],
    });
  });

  it('lists the current versions of a project', async () => {
    const projects = new ProjectTable(service.database, () => new Date());
    const project = await projects.create(users.workspaceId, 'Harbour', users.member.accountId);
    if (typeof project !== 'object') throw new Error('no project');
    const first = await send(service, token, 'One.jpg', photo(20, 1));
    const second = await send(service, token, 'One.jpg', photo(20, 2), { replaces: first });
    await projects.move(users.workspaceId, [second], project.id);

    const byProgram = await open(await (await request({ project: project.id })).text());
    const answer = await fetch(`${service.baseUrl}/photos/receipt?project=${project.id}`, {
      headers: { cookie: browser.allCookies },
    });

    expect(byProgram.payload['uploads']).toMatchObject([{ id: second, version: 2 }]);
    expect(answer.headers.get('content-disposition')).toContain('receipt-Harbour.jws');
    expect((await open(await answer.text())).payload['uploads']).toEqual(
      byProgram.payload['uploads'],
    );
  });

  it('comes for selected photos and for one photo, from the pages', async () => {
    const ids = [
      await send(service, token, 'A.jpg', photo(21, 1)),
      await send(service, token, 'B.jpg', photo(22, 2)),
    ];
    const body = new URLSearchParams([
      ['csrf', browser.csrf],
      ...ids.map((id): [string, string] => ['photo', id]),
    ]);
    const headers = { cookie: browser.allCookies };
    const selected = await fetch(`${service.baseUrl}/photos/receipt`, {
      ...{ method: 'POST', headers, body },
    });
    const one = await fetch(`${service.baseUrl}/photos/${ids[0] ?? ''}/receipt`, { headers });

    const listed = (await open(await selected.text())).payload['uploads'] as { id: string }[];
    expect(listed.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect((await open(await one.text())).payload['uploads']).toMatchObject([{ id: ids[0] }]);
  });

  // @threat R7
  it('is refused if one of the uploads is unknown, in the trash or of another user', async () => {
    const own = await send(service, token, 'Own.jpg', photo(30, 1));
    const ownerToken = await connectAs(service, users.owner);
    const theirs = await send(service, ownerToken, 'Theirs.jpg', photo(30, 2));
    const trashed = await send(service, token, 'Old.jpg', photo(30, 3));
    await new PhotoTable(service.database).trash(trashed, users.member.accountId, new Date());

    for (const other of ['unknown', theirs, trashed])
      expect((await request({ uploads: [own, other] })).status).toBe(404);
    expect((await request({ uploads: [own] })).status).toBe(200);
  });

  it('is refused if an upload goes away while it is written, and leaves none out', async () => {
    const own = await send(service, token, 'Stays.jpg', photo(30, 4));
    const gone = await send(service, token, 'Goes.jpg', photo(30, 5));
    const writer = new ReceiptWriter({
      database: service.database,
      keys: new ReceiptKeys(service.database),
      baseUrl: service.baseUrl,
      now: () => new Date(),
    });
    const { workspaceId, member } = users;
    const wanted = { workspaceId, accountId: member.accountId, ids: [own, gone] };
    expect(await writer.write(wanted)).toEqual(expect.any(String));
    await new PhotoTable(service.database).trash(gone, member.accountId, new Date());
    expect(await writer.write(wanted)).toBeUndefined();
    await service.database.query('DELETE FROM uploads WHERE id = $1', [gone]);
    expect(await writer.write(wanted)).toBeUndefined();
  });

  it.each([
    ['no uploads', { uploads: [] }],
    ['1,001 uploads', { uploads: Array.from({ length: 1001 }, (_, n) => `id-${n}`) }],
    ['ids that are no ids', { uploads: ['a,b'] }],
    ['two wishes', { uploads: ['a'], project: 'b' }],
  ])('is refused with 400 for %s', async (_what, body) => {
    expect((await request(body)).status).toBe(400);
  });

  it("is refused for another workspace's project", async () => {
    const elsewhere = await addWorkspace(service, 'Elsewhere');
    const outsider = await addUser(service, { [elsewhere]: 'owner' });
    const projects = new ProjectTable(service.database, () => new Date());
    const project = await projects.create(users.workspaceId, 'Quiet', users.member.accountId);
    if (typeof project !== 'object') throw new Error('no project');
    const id = await send(service, token, 'Quiet.jpg', photo(20));
    await projects.move(users.workspaceId, [id], project.id);

    const theirs = await connectAs(service, outsider);

    expect((await request({ project: project.id }, theirs)).status).toBe(404);
  });

  it('is shown by the page without scripts, with its checksums and escaped names', async () => {
    const id = await send(service, token, '<b>Küste & "Hafen"</b>.jpg', photo(40));
    const receipt = await (await request({ uploads: [id] })).text();

    const [status, markup] = await verifyByForm(`\n${receipt}\n`);

    expect(status).toBe(200);
    expect(markup).toContain(`Signed by <bdi translate="no">${service.baseUrl}</bdi>`);
    expect(markup).toContain('&lt;b&gt;Küste &amp; &quot;Hafen&quot;&lt;/b&gt;.jpg');
    expect(markup).toContain(createHash('sha256').update(photo(40)).digest('hex'));
  });

  it('stays valid after its key was replaced, and new ones have the new key', async () => {
    const id = await send(service, token, 'Lasting.jpg', photo(50));
    const old = await (await request({ uploads: [id] })).text();

    await rotateReceiptKey(service.database);

    const recent = await (await request({ uploads: [id] })).text();
    const [before, after] = [await open(old), await open(recent)];
    expect(after.header['kid']).not.toBe(before.header['kid']);
    expect((await verifyByForm(old))[0]).toBe(200);
    const stored = await service.database.query<{ has_private: boolean }>(
      `SELECT value ? 'd' AS has_private FROM service_secrets WHERE name LIKE 'receipt_key_%' ORDER BY name`,
    );
    expect(stored.map((row) => row.has_private)).toEqual([false, true]);
  });

  it('publishes no private part of a key', async () => {
    const answer = await fetch(`${service.baseUrl}/api/v1/receipts/keys`);
    const { keys } = (await answer.json()) as { keys: Json[] };
    for (const key of keys)
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  // @threat R6
  it('is reported as changed if any byte of it is another one', async () => {
    const id = await send(service, token, 'Tampered.jpg', photo(60));
    const receipt = await (await request({ uploads: [id] })).text();
    await fc.assert(
      fc.asyncProperty(
        fc.nat(receipt.length - 1),
        fc.constantFrom('A', 'z', '0'),
        async (at, by) => {
          // The last character has bits that are not part of the signature.
          const place = Math.min(at, receipt.length - 2);
          if (receipt[place] === by || receipt[place] === '.') return;
          const changed = receipt.slice(0, place) + by + receipt.slice(place + 1);
          const [status, markup] = await verifyByForm(changed);
          expect(status).toBe(400);
          expect(markup).not.toContain('Tampered.jpg');
        },
      ),
      { numRuns: 20 },
    );
  });

  it.each([
    ['nothing', ''],
    ['markup', '<script>alert(1)</script>'],
    ['a token of another kind', 'a.b.c'],
    ['no signature', `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.e30`],
    ['a photo', '\u0000'.repeat(5000)],
  ])('is not taken from a form with %s', async (_what, text) => {
    const [status, markup] = await verifyByForm(text);
    expect(status).toBe(400);
    expect(markup).toMatch(/This file is not a receipt|This receipt was changed/);
    expect(markup).not.toContain('alert(1)');
  });

  it('is not read from a form that is too large or has another shape', async () => {
    const post = (body: BodyInit, type?: string): Promise<Response> =>
      fetch(`${service.baseUrl}/receipts/verify`, {
        method: 'POST',
        body,
        ...(type !== undefined && { headers: { 'Content-Type': type } }),
      });
    const large = new FormData();
    large.set('receipt', new File([new Uint8Array(MAX_RECEIPT_BYTES + 5000)], 'large.jws'));
    expect((await post(large)).status).toBe(413);
    expect((await post('receipt=a.b.c', 'application/x-www-form-urlencoded')).status).toBe(400);
    expect((await post('--x', 'multipart/form-data; boundary=x')).status).toBe(400);
    expect((await post('x', 'multipart/form-data')).status).toBe(400);
  });
});
