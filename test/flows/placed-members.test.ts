import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiRequest, RequestQueue } from '../../src/api/request-queue.js';
import { BASIC_CAPABILITIES } from '../../src/api/capabilities.js';
import { PlacedStatus } from '../../src/features/placed-files/placed-status.js';
import { FileDownload } from '../../src/features/placing/file-download.js';
import type { Account } from '../../src/account/current-account.js';
import type { ChosenFolder } from '../../src/host/folders.js';
import type { Host } from '../../src/host/host.js';
import type { PlacedFile } from '../../src/host/placed-files.js';
import type { HttpResponse } from '../../src/host/http.js';
import { createUxpHost } from '../../src/host/uxp.js';
import { CwError } from '../../src/util/errors.js';
import { Observable } from '../../src/util/observable.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../host/modules/index.js';
import { hurriedClock } from '../host-ports/implementations.js';
import { accountWith } from '../features/api-fixture.js';
import { photo, sha256 } from '../service/support/tus-client.js';
import { connectAs, send, type TestUser } from '../service/support/users.js';
import { addWorkspaceFixture } from '../service/support/workspace-fixture.js';
import { useService } from '../service/support/use-service.js';

/** The requests of the plugin with this token, without retries. */
function requestsWith(token: string): Pick<RequestQueue, 'send' | 'sendOutOfBand'> {
  const exchange = async (request: ApiRequest): Promise<HttpResponse> => {
    const { method, url, body } = request;
    const answer = await fetch(url, {
      method,
      headers: { ...request.headers, Authorization: `Bearer ${token}` },
      ...(typeof body === 'string' && { body }),
    });
    const bytes = await answer.arrayBuffer();
    return {
      status: answer.status,
      text: request.isBinary ? '' : Buffer.from(bytes).toString(),
      header: (name) => answer.headers.get(name),
      bytes,
    };
  };
  return {
    sendOutOfBand: (request) => exchange({ ...request, repeatable: true }),
    send: async (request) => {
      const response = await exchange(request);
      if (response.status >= 400)
        throw new CwError('CW-603', 'refused', { status: response.status });
      return response;
    },
  };
}

describe('placed files of a workspace whose members see their own files only', () => {
  const service = useService();
  let root: string;
  let modules: HostModules;
  let host: Host;
  let folder: ChosenFolder;
  let owner: TestUser;
  let member: TestUser;
  /** Two versions of a file of each, by their ids. */
  let ofOwner: readonly string[];
  let ofMember: readonly string[];

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'placed-members-'));
    mkdirSync(join(root, 'Pictures'));
    modules = createHostModules({ storageDir: join(root, 'app'), uxpVersion: '9.3.0' });
    host = createUxpHost(modules, NO_NETWORK, hurriedClock());
    modules.control.pickers.answer([join(root, 'Pictures')]);
    const picked = await host.folders?.pickFolder();
    if (!picked) throw new Error('no folder');
    folder = picked;
    ({ owner, member } = await addWorkspaceFixture(service));
    const versions = async (user: TestUser, name: string, seed: number): Promise<string[]> => {
      const token = await connectAs(service, user, 'uploads:write');
      const document = { document: `xmp.did:${name}` };
      return [
        await send(service, token, name, photo(300, seed), document),
        await send(service, token, name, photo(300, seed + 1), document),
      ];
    };
    ofOwner = await versions(owner, 'Owner.jpg', 1);
    ofMember = await versions(member, 'Member.jpg', 3);
  });
  afterAll(() => {
    modules.control.end();
    rmSync(root, { recursive: true, force: true });
  });

  /** A link to the first version of each, and one to each by other means. */
  const files = (): readonly PlacedFile[] => {
    const link = (key: string, uploadId: string, seed: number): PlacedFile => ({
      ...{ key, name: key, path: null, state: 'present' },
      identity: {
        origin: new URL(service.baseUrl).origin,
        uploadId,
        sha256: sha256(photo(300, seed)),
        size: 'original',
      },
    });
    const other = (key: string): PlacedFile => ({
      ...{ key, name: key, path: key, state: 'present', identity: null },
    });
    return [
      link('owner', ofOwner[0] ?? '', 1),
      link('member', ofMember[0] ?? '', 3),
      other('owner by bytes'),
      other('member by bytes'),
    ];
  };

  /** The state of each link for a user, and the links that were not recognised. */
  async function statesFor(user: TestUser): Promise<Readonly<Record<string, string>>> {
    const token = await connectAs(service, user, 'workspace:read');
    const status = new PlacedStatus({
      host: { list: () => Promise.resolve(files()) },
      linked: {
        keepUploads: () => Promise.resolve(),
        factsOf: () =>
          Promise.resolve(
            new Map([
              [
                'owner by bytes',
                { sha256: sha256(photo(300, 1)), documents: ['xmp.did:Owner.jpg'] },
              ],
              [
                'member by bytes',
                { sha256: sha256(photo(300, 3)), documents: ['xmp.did:Member.jpg'] },
              ],
            ]),
          ),
      },
      requests: requestsWith(token),
      capabilities: { get: () => Promise.resolve({ ...BASIC_CAPABILITIES, photoVersions: true }) },
      endpoint: `${service.baseUrl}/api/v1/photos/status`,
      origin: new URL(service.baseUrl).origin,
      owner: { get: () => ({ keys: ['key'], workspace: null }) },
      account: { state: new Observable<Account | null>(accountWith(['workspace:read'])) },
      clock: host.clock,
      records: { put: () => Promise.resolve() },
    });
    const answered = new Promise<void>((resolve) => {
      status.state.subscribe(({ checkedAt, isChecking }) => {
        if (checkedAt !== null && !isChecking) resolve();
      });
    });
    status.setFront({ key: '1', documentId: null });
    status.start();
    await answered;
    status.stop();
    const { rows, others } = status.state.get();
    return Object.fromEntries([
      ...rows.map((row) => [row.key, row.status.kind] as const),
      ...others.map(({ key }) => [key, 'not recognised'] as const),
    ]);
  }

  it('have a state for the files that the user sees, and none for those of others', async () => {
    expect(await statesFor(member)).toEqual({
      ...{ member: 'newer', 'member by bytes': 'newer' },
      ...{ owner: 'unknown', 'owner by bytes': 'not recognised' },
    });
    expect(await statesFor(owner)).toEqual({
      ...{ member: 'newer', 'member by bytes': 'newer' },
      ...{ owner: 'newer', 'owner by bytes': 'newer' },
    });
  });

  it('are downloaded for those who see them only', async () => {
    const { downloads, clock } = host;
    if (!downloads) throw new Error('no downloads');
    const token = await connectAs(service, member, 'workspace:read');
    const files = new FileDownload({
      ...{ downloads, clock, api: `${service.baseUrl}/api/v1`, origin: service.baseUrl },
      requests: requestsWith(token),
    });
    const deliver = (id: string, name: string, seed: number): ReturnType<typeof files.download> =>
      files.download(
        { ...{ id, name, size: 300, type: null }, sha256: sha256(photo(300, seed)) },
        'original',
        folder,
      );
    const { file } = await deliver(ofMember[1] ?? '', 'Member.jpg', 4);
    expect(readFileSync(file.path).equals(photo(300, 4))).toBe(true);
    const refused = deliver(ofOwner[1] ?? '', 'Owner.jpg', 2);
    await expect(refused).rejects.toMatchObject({ code: 'CW-618' });
    expect(await folder.list()).toEqual(['Member.jpg']);
  });
});
