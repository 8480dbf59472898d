import { expect } from '@jest/globals';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { startTestService, type TestService } from './running-service.js';

export const UPLOADS = '/api/v1/uploads';
/** The content type of upload bytes. */
export const BYTES = { 'content-type': 'application/offset+octet-stream' };

export interface Ask {
  readonly method: string;
  /** A path; the collection when left out. */
  readonly path?: string;
  /** Headers next to those of a valid request; undefined removes one of these. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: Uint8Array;
}

interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** The subject of the protocol tests: a running service and a connected app. */
export class Peer {
  private constructor(
    readonly service: TestService,
    readonly token: string,
  ) {}

  static async start(): Promise<Peer> {
    const service = await startTestService();
    return new Peer(service, (await service.connect()).accessToken);
  }

  ask({ method, path = UPLOADS, headers = {}, body }: Ask): Promise<Told> {
    const { hostname, port } = new URL(this.service.baseUrl);
    const all: Ask['headers'] = {
      authorization: `Bearer ${this.token}`,
      ...(method !== 'OPTIONS' && { 'tus-resumable': '1.0.0' }),
      ...(body !== undefined && { 'content-length': String(body.length) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest({ hostname, port, method, path, agent: false });
      for (const [name, value] of Object.entries(all))
        if (value !== undefined) request.setHeader(name, value);
      request.on('error', reject);
      request.on('response', (answer) => {
        answer.resume().on('end', () => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
        });
      });
      request.end(body);
    });
  }

  /** Creates an upload of ten bytes. @returns its path. */
  async create(headers: Ask['headers'] = {}): Promise<string> {
    const told = await this.ask({ method: 'POST', headers: { 'upload-length': '10', ...headers } });
    expect(told.status).toBe(201);
    return String(told.headers.location);
  }

  patch(path: string, offset: number, body: Uint8Array, headers: Ask['headers'] = {}) {
    const all = { ...BYTES, 'upload-offset': String(offset), ...headers };
    return this.ask({ method: 'PATCH', path, headers: all, body });
  }

  head(path: string, headers: Ask['headers'] = {}): Promise<Told> {
    return this.ask({ method: 'HEAD', path, headers });
  }

  async offset(path: string): Promise<unknown> {
    return (await this.head(path)).headers['upload-offset'];
  }
}
