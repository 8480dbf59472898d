import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Upload } from '@tus/server';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAccount, createWorkspace } from '../../../../service/identity/accounts/accounts.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import type { Principal } from '../../../../service/oauth/tokens/bearer.js';
import { Creation } from '../../../../service/library/uploads/tus/creation.js';
import { DiskSpace } from '../../../../service/library/uploads/storage/disk-space.js';
import { UploadFinalizer } from '../../../../service/library/uploads/tus/finalize.js';
import { openStorage } from '../../../../service/library/uploads/storage/open-storage.js';
import type { UploadStorage } from '../../../../service/library/uploads/storage/upload-storage.js';
import { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';
import { openMigratedDatabase } from '../../support/database-templates.js';
import { testS3, writeAll } from '../../support/test-storage.js';
import { photo } from '../../support/tus-client.js';

const SAID = {
  expected: undefined,
  contentLength: 0,
  metadataHeader: undefined,
  namesProject: false,
};

describe('a creation that is sent again while another process drops the upload', () => {
  const bytes = photo(1000, 70);
  let database: Database;
  let folder: string;
  let uploads: UploadRepository;
  let store: UploadStorage;
  let caller: Principal;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    folder = await mkdtemp(path.join(tmpdir(), 'creation-'));
    const who = randomUUID();
    caller = {
      accountId: await createAccount(database, { username: who, displayName: who, password: 'x' }),
      workspaceId: await createWorkspace(database, who),
      clientId: 'client',
      scopes: new Set(),
      permission: { kind: 'grant', id: 'one' },
    };
    uploads = new UploadRepository(database);
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const creation = (): Creation =>
    new Creation({
      uploads,
      store,
      finishing: new UploadFinalizer({
        uploads,
        store,
        now: () => new Date(),
        reportError: (error) => {
          throw error;
        },
        onFinished: () => undefined,
      }),
      space: new DiskSpace(undefined, 0),
      limits: { workspaceBytes: 1e9, unfinishedUploads: 10 },
      now: () => new Date(),
    });

  const upload = (key: string): Upload =>
    new Upload({
      id: randomUUID(),
      size: bytes.length,
      offset: 0,
      metadata: {
        filename: 'a.jpg',
        filetype: 'image/jpeg',
        client_upload_id: `gone-before-${key}`,
      },
    });

  it.each(['received', 'contentIfComplete'] as const)(
    'creates the upload again when it is gone before %s',
    async (step) => {
      store = await openStorage({ s3: await testS3(), dataDir: folder }, uploads);
      const first = upload(step);
      expect(await creation().createOrFind(first, caller, SAID)).toMatchObject({
        created: { id: first.id },
      });
      await writeAll(store, first.id, bytes);
      const drop = async (): Promise<void> => {
        await uploads.remove(first.id);
        await store.discard(first.id);
      };
      const received = store.received.bind(store);
      const contentIfComplete = store.contentIfComplete.bind(store);
      if (step === 'received')
        store.received = async (id) => {
          await drop();
          return received(id);
        };
      else
        store.contentIfComplete = async (record) => {
          await drop();
          return contentIfComplete(record);
        };
      const again = upload(step);

      expect(await creation().createOrFind(again, caller, SAID)).toMatchObject({
        created: { id: again.id },
      });

      expect(await uploads.find(again.id)).toMatchObject({ clientUploadId: `gone-before-${step}` });
      expect(await uploads.find(first.id)).toBeUndefined();
    },
  );
});
