import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { S3Options } from '../../../service/library/uploads/storage/s3-options.js';

interface StoredObject {
  readonly bytes: Buffer;
  /** The headers `x-amz-meta-…`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** `killed` refuses a request, so that a command ends as if it were killed. `away`: the storage is overloaded. */
type Fault = 'killed' | 'away';

/** An S3-compatible server in this process. It has what uploads need, and checks no signatures. */
export interface MemoryStorage {
  readonly options: S3Options;
  /** By their keys. */
  readonly objects: Map<string, StoredObject>;
  /** Uploads in parts that were neither completed nor aborted. */
  readonly parts: ReadonlyMap<string, unknown>;
  /** Each request so far, as `PUT key`, with its parameters. */
  readonly requests: string[];
  /** Called before each request, which may fail: see {@link Fault}. */
  before: (request: string) => Promise<true | Fault> | true | Fault;
  close(): Promise<void>;
}

export async function startMemoryStorage(): Promise<MemoryStorage> {
  const objects = new Map<string, StoredObject>();
  const parts = new Map<string, Map<number, Buffer>>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void serve(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const storage: MemoryStorage = {
    options: {
      bucket: 'bucket',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
    },
    objects,
    parts,
    requests,
    before: () => true,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'http://storage');
    const key = decodeURIComponent(pathname.replace(/^\/bucket\/?/, ''));
    searchParams.delete('x-id');
    const line = `${method} ${key}${searchParams.size > 0 ? `?${searchParams.toString()}` : ''}`;
    const body = await buffer(request);
    requests.push(line);
    const fault = await storage.before(line);
    if (fault !== true) {
      const [status, code] = fault === 'killed' ? [403, 'AccessDenied'] : [503, 'SlowDown'];
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
      return;
    }
    const send = (status: number, xml = '', headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/xml', ...headers });
      response.end(xml);
    };
    const uploadId = searchParams.get('uploadId');
    if (key === '') {
      const keys = [...objects.keys()].map((name) => `<Contents><Key>${name}</Key></Contents>`);
      const prefix = searchParams.get('prefix') ?? '';
      const listed = keys.filter((name) => name.startsWith(`<Contents><Key>${prefix}`));
      send(200, `<ListBucketResult>${listed.join('')}</ListBucketResult>`);
    } else if (method === 'POST' && searchParams.has('uploads')) {
      const id = randomUUID();
      parts.set(id, new Map());
      send(200, `<R><Key>${key}</Key><UploadId>${id}</UploadId></R>`);
    } else if (uploadId !== null) {
      const own = parts.get(uploadId);
      if (own === undefined) {
        send(404, '<Error><Code>NoSuchUpload</Code></Error>');
      } else if (method === 'PUT') {
        own.set(Number(searchParams.get('partNumber')), body);
        send(200, '', { etag: tagOf(body) });
      } else if (method === 'GET') {
        const list = [...own].map(
          ([number, bytes]) =>
            `<Part><PartNumber>${number}</PartNumber><ETag>${tagOf(bytes)}</ETag><Size>${bytes.length}</Size></Part>`,
        );
        send(200, `<R><IsTruncated>false</IsTruncated>${list.join('')}</R>`);
      } else {
        if (method === 'POST') {
          const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)/g)].map(([, n]) =>
            Number(n),
          );
          const bytes = Buffer.concat(numbers.map((number) => own.get(number) ?? Buffer.alloc(0)));
          objects.set(key, { bytes, metadata: {} });
        }
        parts.delete(uploadId);
        send(method === 'POST' ? 200 : 204, method === 'POST' ? '<R></R>' : '');
      }
    } else if (method === 'PUT') {
      const metadata = Object.entries(request.headers).filter(([name]) =>
        name.startsWith('x-amz-meta-'),
      );
      objects.set(key, {
        bytes: body,
        metadata: Object.fromEntries(metadata) as Record<string, string>,
      });
      send(200, '', { etag: tagOf(body) });
    } else if (method === 'DELETE') {
      objects.delete(key);
      send(204);
    } else {
      const found = objects.get(key);
      if (found === undefined) {
        send(404, method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>');
        return;
      }
      const length = String(found.bytes.length);
      response.writeHead(200, { ...found.metadata, 'content-length': length });
      response.end(method === 'HEAD' ? undefined : found.bytes);
    }
  }
  return storage;
}

function tagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}
