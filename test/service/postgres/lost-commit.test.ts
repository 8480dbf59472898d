import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../service/kernel/database/database.js';
import { openPostgresDatabase } from '../../../service/kernel/database/postgres.js';
import { UnavailableError } from '../../../service/kernel/errors.js';
import { approveDevice } from '../support/browser-client.js';
import { listUploads, poll, refresh, startDevice, tokensOf } from '../support/oauth-client.js';
import { startTestService, type TestService } from '../support/running-service.js';
import { TcpSwitch } from '../support/tcp-switch.js';
import { create, locationOf, patch, photo, sha256 } from '../support/tus-client.js';
import { dropDatabase, makeDatabaseUrl } from './databases.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';

describe('a connection lost during a commit', () => {
  let databaseUrl: string;
  /** Of these tests. Jobs of the service make transactions, too. */
  let way: TcpSwitch;
  let database: Database;
  let serviceWay: TcpSwitch;
  let service: TestService;

  const open = async (through: TcpSwitch): Promise<Database> => {
    const url = new URL(databaseUrl);
    url.port = String(through.port);
    return openPostgresDatabase(url.href, () => undefined);
  };

  beforeAll(async () => {
    databaseUrl = await makeDatabaseUrl(SERVER);
    const port = Number(new URL(databaseUrl).port);
    serviceWay = await TcpSwitch.start(port);
    service = await startTestService({ database: await open(serviceWay), demoAccount: true });
    way = await TcpSwitch.start(port);
    database = await open(way);
    await database.query(
      `CREATE TABLE numbers (number integer);
       CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.number < 0 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
         PERFORM pg_sleep(NEW.number / 1000.0);
         RETURN NULL;
       END $$;
       CREATE CONSTRAINT TRIGGER numbers_at_commit AFTER INSERT ON numbers
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION at_commit()`,
    );
  });
  afterAll(async () => {
    await service.close();
    await database.close();
    await Promise.all([way.close(), serviceWay.close()]);
    await dropDatabase(SERVER, databaseUrl);
  });

  const insert = (number: number): Promise<string> =>
    database.transaction(async (transaction) => {
      await transaction.query('INSERT INTO numbers VALUES ($1)', [number]);
      return `inserted ${number}`;
    });
  const countOf = async (number: number): Promise<number> =>
    (await database.query('SELECT 1 FROM numbers WHERE number = $1', [number])).length;
  const loseCommit = (through = way): Promise<void> => through.loseAnswerTo(/COMMIT/);

  it('returns the result when the transaction was committed', async () => {
    const lost = loseCommit();

    expect(await insert(1)).toBe('inserted 1');

    await lost;
    expect(await countOf(1)).toBe(1);
  });

  it('is an UnavailableError when the transaction was not committed', async () => {
    await expect(insert(-1)).rejects.toThrow(UnavailableError);

    expect(await countOf(-1)).toBe(0);
  });

  it('waits until the server has finished the commit', async () => {
    const committing = way.sent(/COMMIT/);
    const inserted = insert(1500);
    await committing;
    way.cut();

    expect(await inserted).toBe('inserted 1500');
    expect(await countOf(1500)).toBe(1);
  });

  it('is an UnavailableError when the transaction changed nothing', async () => {
    const lost = loseCommit();

    await expect(
      database.transaction((transaction) => transaction.query('SELECT 1')),
    ).rejects.toThrow(UnavailableError);

    await lost;
  });

  it('uses up no refresh token and no device code without a response', async () => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, service.demo);
    const lostCode = loseCommit(serviceWay);
    const first = await poll(service.baseUrl, deviceCode);
    await lostCode;
    expect(first.status).toBe(200);

    // The connection has the statement after this, so that the next one only names it.
    const known = await refresh(service.baseUrl, tokensOf(first).refreshToken);
    const lostRefresh = serviceWay.loseAnswerTo(/WITH held AS MATERIALIZED/);
    const second = await refresh(service.baseUrl, tokensOf(known).refreshToken);
    await lostRefresh;

    expect(second.status).toBe(200);
    const { accessToken, refreshToken } = tokensOf(second);
    expect((await listUploads(service.baseUrl, accessToken)).status).toBe(200);
    expect((await refresh(service.baseUrl, refreshToken)).status).toBe(200);
  });

  it('loses and duplicates no upload', async () => {
    const { accessToken } = await service.connect();
    const bytes = photo(5000, 7);
    const lostCreation = serviceWay.loseAnswerTo(/INSERT INTO uploads/);
    const created = await create(service.baseUrl, accessToken, { length: bytes.length });
    await lostCreation;
    expect(created.status).toBe(201);

    const lostFinish = serviceWay.loseAnswerTo(/finish_upload/);
    const { status } = await patch(locationOf(service.baseUrl, created), accessToken, 0, bytes);
    await lostFinish;

    expect(status).toBe(204);
    const { body } = await listUploads(service.baseUrl, accessToken);
    expect(body['uploads']).toEqual([expect.objectContaining({ sha256: sha256(bytes) })]);
    expect(await database.query('SELECT 1 FROM uploads')).toHaveLength(1);
  });
});
