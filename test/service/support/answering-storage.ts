import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Storage } from '../../../service/library/uploads/storage/s3-storage.js';
import { UploadRepository } from '../../../service/library/uploads/repository/upload-repository.js';
import { openReadyDatabase } from './database-templates.js';

/** S3-compatible storage whose answers a test gives itself. */
export interface AnsweringStorage {
  readonly storage: S3Storage;
  /** Answers from now on. */
  answerBy(listener: RequestListener): void;
  close(): Promise<void>;
}

/** Starts one that does not answer yet. */
export async function startAnsweringStorage(): Promise<AnsweringStorage> {
  const server: Server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const database = await openReadyDatabase();
  const storage = new S3Storage(
    {
      bucket: 'bucket',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
    },
    new UploadRepository(database),
  );
  return {
    storage,
    answerBy: (listener) => {
      server.removeAllListeners('request').on('request', listener);
    },
    close: async () => {
      await database.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers with an S3 error code. */
export function answer(status: number, code: string): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(`<Error><Code>${code}</Code></Error>`);
  };
}
