import { FileStore } from '@tus/file-store';
import { Server, type Upload } from '@tus/server';
import { createHash } from 'node:crypto';
import * as http from 'node:http';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';

/** Which bit of a file is turned around. Counted from the first byte's lowest bit. */
export type FlippedBit = number;

export interface ForeignTusOptions {
  /** The path of the creation URL, without a slash at the end. */
  readonly path?: string;
  /** 0: any free port. The same port and folder again: the same service, restarted. */
  readonly port?: number;
  /** Where the files lie. Without one it is a new folder that `close` removes. */
  readonly directory?: string;
  /** The handling of bytes in a creation. The library would accept them. */
  readonly bytesAtCreation?: 'taken' | 'ignored' | 'refused';
  /** The extensions in OPTIONS; default: the library's that fit the above. */
  readonly extensions?: readonly string[];
  /** `Tus-Max-Size`, in bytes; none when left out. */
  readonly maxSize?: number;
  /** Whether OPTIONS is supported; 404 otherwise. */
  readonly answersOptions?: boolean;
  /** The tokens that are good; any when left out. A request without one is 401 in any case. */
  readonly acceptsToken?: (token: string) => boolean;
  /** Flips a bit of the received bytes, before they are stored. Called once for each upload. */
  readonly flipInFlight?: (upload: ForeignUpload) => FlippedBit | null;
  /** Flips a bit of the stored bytes, before the last response. Called once for each upload. */
  readonly flipAtRest?: (upload: ForeignUpload) => FlippedBit | null;
  /** `Repr-Digest` of the last answer and of `HEAD` afterwards; null: none, as plain services do. */
  readonly reprDigest?: (stored: Buffer, upload: ForeignUpload) => string | null;
  /** Sees every request before it is answered; true: it was answered there. */
  readonly intercept?: (request: http.IncomingMessage, response: http.ServerResponse) => boolean;
}

/** An upload in this service. */
export interface ForeignUpload {
  readonly id: string;
  readonly size: number;
  /** `Upload-Metadata`, decoded. */
  readonly metadata: Readonly<Record<string, string | null>>;
}

/** An upload with all bytes stored. */
export interface FinishedForeignUpload extends ForeignUpload {
  readonly sha256: string;
}

export interface ForeignRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
}

export interface ForeignTusService {
  /** `http://localhost:port`, without a slash at the end. */
  readonly origin: string;
  readonly port: number;
  /** The creation URL. */
  readonly endpoint: string;
  readonly directory: string;
  /** Every request, in the order in which they began. */
  readonly requests: readonly ForeignRequest[];
  /** The completed uploads, in the order of creation. */
  finished(): Promise<FinishedForeignUpload[]>;
  /** Cuts all connections and stops. */
  close(): Promise<void>;
}

/** An honest `Repr-Digest` with SHA-256, for {@link ForeignTusOptions.reprDigest}. */
export function sha256Digest(stored: Buffer): string {
  return `sha-256=:${createHash('sha256').update(stored).digest('base64')}:`;
}

/**
 * A third-party tus service: a plain `@tus/server` with its file store, which has none of our
 * extensions, and neither workspaces nor apps. A creation that is repeated makes a second upload.
 */
export async function startForeignTusService(
  options: ForeignTusOptions = {},
): Promise<ForeignTusService> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'foreign-tus-')));
  const path = options.path ?? '/api/v1/uploads';
  const store = new ForeignStore(directory, options);
  const tus = new Server({
    path,
    datastore: store,
    relativeLocation: true,
    ...(options.maxSize !== undefined && { maxSize: options.maxSize }),
    onUploadFinish: async (_request, upload) => {
      const digest = await store.finish(upload);
      return digest === null ? {} : { headers: { 'Repr-Digest': digest } };
    },
  });
  const requests: ForeignRequest[] = [];
  const server = http.createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, path: url, headers });
    if (options.intercept?.(request, response) === true) return;
    const refused = refusalOf(request, options);
    if (refused !== null) {
      request.resume();
      response.writeHead(refused, { 'Tus-Resumable': '1.0.0' }).end();
      return;
    }
    if (method === 'POST' && (options.bytesAtCreation ?? 'ignored') === 'ignored') {
      forgetType(request);
    }
    const digest = method === 'HEAD' ? store.digestOf(url.slice(path.length + 1)) : null;
    if (digest !== null) response.setHeader('Repr-Digest', digest);
    void tus.handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://localhost:${port}`;
  return {
    origin,
    port,
    endpoint: `${origin}${path}`,
    directory,
    requests,
    finished: () => store.finished(),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The status with which a request is refused before tus sees it; null when it is not. */
function refusalOf(request: http.IncomingMessage, options: ForeignTusOptions): number | null {
  const { method, headers } = request;
  if (method === 'OPTIONS') return options.answersOptions === false ? 404 : null;
  const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined || options.acceptsToken?.(token) === false) return 401;
  const brings = Number(headers['content-length'] ?? 0) > 0 || 'transfer-encoding' in headers;
  return method === 'POST' && brings && options.bytesAtCreation === 'refused' ? 400 : null;
}

/** The library takes bytes that come with a creation by their type; without it none. */
function forgetType({ headers, rawHeaders }: http.IncomingMessage): void {
  delete headers['content-type'];
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && /^content-type$/i.test(text));
  if (at >= 0) rawHeaders.splice(at, 2);
}

class ForeignStore extends FileStore {
  private readonly created = new Map<string, Upload>();
  private readonly flips = new Map<string, FlippedBit | null>();
  private readonly digests = new Map<string, string>();

  constructor(
    directory: string,
    private readonly options: ForeignTusOptions,
  ) {
    super({ directory });
    const withBytes = options.bytesAtCreation === 'taken' ? ['creation-with-upload'] : [];
    this.extensions = [...(options.extensions ?? ['creation', ...withBytes, 'termination'])];
  }

  override async create(upload: Upload): Promise<Upload> {
    this.created.set(upload.id, upload);
    return super.create(upload);
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const flip = this.flipOf(await this.describe(id));
    return super.write(flip === null ? stream : stream.pipe(flipping(flip, offset)), id, offset);
  }

  override async remove(id: string): Promise<void> {
    await super.remove(id);
    this.created.delete(id);
    this.digests.delete(id);
  }

  digestOf(id: string): string | null {
    return this.digests.get(id) ?? null;
  }

  /** Finishes the upload. @returns the digest that the service reports. */
  async finish({ id }: Upload): Promise<string | null> {
    const upload = await this.describe(id);
    const file = join(this.directory, id);
    const flip = this.options.flipAtRest?.(upload) ?? null;
    if (flip !== null) await flipBit(file, flip);
    const digest = this.options.reprDigest?.(await readFile(file), upload) ?? null;
    if (digest !== null) this.digests.set(id, digest);
    return digest;
  }

  async finished(): Promise<FinishedForeignUpload[]> {
    const found: FinishedForeignUpload[] = [];
    const ids = (await this.configstore.list?.()) ?? [...this.created.keys()];
    const uploads = await Promise.all(ids.map((id) => this.getUpload(id)));
    uploads.sort((a, b) => (a.creation_date ?? '').localeCompare(b.creation_date ?? ''));
    for (const { id, size, offset, metadata = {} } of uploads) {
      if (size === undefined || offset !== size) continue;
      const bytes = await readFile(join(this.directory, id));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      found.push({ id, size, metadata, sha256 });
    }
    return found;
  }

  private async describe(id: string): Promise<ForeignUpload> {
    const { size = 0, metadata = {} } = await this.getUpload(id);
    return { id, size, metadata };
  }

  private flipOf(upload: ForeignUpload): FlippedBit | null {
    const known = this.flips.get(upload.id);
    if (known !== undefined) return known;
    const flip = this.options.flipInFlight?.(upload) ?? null;
    this.flips.set(upload.id, flip);
    return flip;
  }
}

/** Turns one bit of a file around. */
export async function flipBit(file: string, bit: FlippedBit): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    const { bytesRead } = await handle.read(byte, 0, 1, bit >> 3);
    if (bytesRead === 0) throw new Error(`the file has no bit ${bit}`);
    byte.writeUInt8(byte.readUInt8(0) ^ (1 << (bit & 7)), 0);
    await handle.write(byte, 0, 1, bit >> 3);
  } finally {
    await handle.close();
  }
}

/** Lets bytes through, with one bit of the whole file turned around. `offset`: where in the file they begin. */
function flipping(bit: FlippedBit, offset: number): Transform {
  let at = offset;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const place = (bit >> 3) - at;
      const copy = Buffer.from(chunk);
      const byte = copy.at(place);
      if (place >= 0 && byte !== undefined) copy.writeUInt8(byte ^ (1 << (bit & 7)), place);
      at += chunk.length;
      done(null, copy);
    },
  });
}
