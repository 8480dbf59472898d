import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiRequest } from '../../../src/api/request-queue.js';
import {
  FileDownload,
  type DeliveredFile,
  type FileDownloadOptions,
} from '../../../src/features/placing/file-download.js';
import { Placing } from '../../../src/features/placing/placing.js';
import type { Account } from '../../../src/account/current-account.js';
import type { ChosenFolder } from '../../../src/host/folders.js';
import type { Host } from '../../../src/host/host.js';
import type { HttpResponse } from '../../../src/host/http.js';
import { createUxpHost } from '../../../src/host/uxp.js';
import type { InDesignModule } from '../../../src/host/uxp/indesign-module.js';
import { throwIfCancelled, type CancelSignal } from '../../../src/util/cancel.js';
import { CwError } from '../../../src/util/errors.js';
import { Observable } from '../../../src/util/observable.js';
import type { Clock } from '../../../src/util/clock.js';
import { hurriedClock } from '../../host-ports/implementations.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../../host/modules/index.js';
import { accountWith, BASE } from '../api-fixture.js';

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

type Answer = Partial<HttpResponse> & { readonly headers?: Readonly<Record<string, string>> };

/** A service that has files, as `docs/http-api.md` describes its answers. */
class FileService {
  readonly files = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly previews = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly requests: ApiRequest[] = [];
  /** Of the requests. */
  readonly signals: CancelSignal[] = [];
  /** The places of requests in `requests`, in the order of their answers. */
  readonly answered: number[] = [];
  /** Settles when a request may be answered. Gets its place in `requests`. */
  delay: (index: number) => Promise<void> = () => Promise.resolve();
  /** Changes an answer, or throws. */
  tamper: (answer: Required<Answer>, request: ApiRequest) => Answer = (answer) => answer;

  readonly send = async (request: ApiRequest, signal?: CancelSignal): Promise<HttpResponse> => {
    const index = this.requests.push(request) - 1;
    if (signal) {
      this.signals.push(signal);
      const ended = new Promise<void>((resolve) => signal.onCancel(resolve));
      await Promise.race([this.delay(index), ended]);
    }
    await new Promise(setImmediate);
    if (signal) throwIfCancelled(signal);
    this.answered.push(index);
    const given = this.tamper(this.answer(request), request);
    const { status = 200, headers = {}, bytes } = given;
    const response: HttpResponse = {
      status,
      text: '',
      header: (name) => headers[name.toLowerCase()] ?? null,
      ...(bytes && { bytes }),
    };
    if (status >= 400)
      throw new CwError(status === 403 ? 'CW-203' : 'CW-603', 'refused', { status });
    if (request.isAnswer?.(response) === false)
      throw new CwError('CW-303', 'not the service', { isIntercepted: true });
    if ((bytes?.byteLength ?? 0) > (request.maxResponseLength ?? 0))
      throw new CwError('CW-304', 'too large', { isIntercepted: true });
    return response;
  };

  /** The ranges that were requested, as offsets of their first bytes. */
  starts(): readonly number[] {
    return this.requests.flatMap(({ headers }) => {
      const [, start] = /^bytes=(\d+)-/.exec(headers['Range'] ?? '') ?? [];
      return start === undefined ? [] : [Number(start)];
    });
  }

  private answer({ method, url, headers }: ApiRequest): Required<Answer> {
    const [, id = '', what] =
      /^\/api\/v1\/uploads\/([^/]+)\/(\w+)$/.exec(url.replace(BASE, '')) ?? [];
    const bytes = (what === 'content' ? this.files : this.previews).get(decodeURIComponent(id));
    const all = { text: '', header: () => null, bytes: new ArrayBuffer(0), headers: {} };
    if (!bytes) return { ...all, status: what === 'preview' ? 204 : 404 };
    const digest = Buffer.from(digestOf(bytes), 'hex').toString('base64');
    const common = { 'repr-digest': `sha-256=:${digest}:` };
    if (what === 'preview') return { ...all, status: 200, headers: common, bytes: bytes.buffer };
    const tagged = { ...common, etag: `"${digestOf(bytes)}"` };
    if (method === 'HEAD')
      return { ...all, status: 200, headers: { ...tagged, 'content-length': `${bytes.length}` } };
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers['Range'] ?? '') ?? [];
    if (headers['If-Range'] !== tagged.etag)
      return { ...all, status: 200, headers: tagged, bytes: bytes.buffer };
    const range = `bytes ${start}-${end}/${bytes.length}`;
    return {
      ...all,
      status: 206,
      headers: { ...tagged, 'content-range': range },
      bytes: bytes.buffer.slice(Number(start), Number(end) + 1),
    };
  }
}

/** An app with a document and a folder of the user, over storage that outlives its runs. */
export class PlacingFixture {
  readonly service = new FileService();
  readonly account = new Observable<Account | null>(accountWith(['uploads:content']));
  readonly records = new Map<string, string>();
  readonly root = mkdtempSync(join(tmpdir(), 'placing-'));
  readonly folderPath = join(this.root, 'Pictures');
  modules!: HostModules;
  host!: Host;
  placing!: Placing;
  private readonly runs: HostModules[] = [];

  constructor(private readonly clock: Clock = hurriedClock()) {
    mkdirSync(this.folderPath);
    this.begin();
  }

  /** Ends the run, as a kill does, and begins another one. */
  start(): void {
    this.modules.control.end();
    this.begin();
  }

  private begin(): void {
    const { modules, host } = this.run('app');
    this.modules = modules;
    this.host = host;
    modules.control.indesign.openDocument({ name: 'Book.indd', pages: ['1'], bytes: {} });
    modules.control.indesign.enumerations = 'numbers';
    this.beginPlacing();
  }

  private beginPlacing(): void {
    const { host } = this;
    this.placing = new Placing({
      host,
      files: this.download(),
      records: {
        put: (key, value) => {
          this.records.set(key, value);
          return Promise.resolve();
        },
      },
      account: { state: this.account },
      front: () => this.front,
      stepName: (name) => `Place ${name}`,
      openName: (name) => `Open ${name}`,
    });
    this.placing.restore(this.records);
  }

  front: { readonly key: string; readonly documentId: string | null } | null = {
    key: '401',
    documentId: 'xmp.did:1',
  };

  /** Goes on in Photoshop, without a document. */
  inPhotoshop(): HostModules['control'] {
    const { modules, host } = this.run('photoshop', 'photoshop');
    this.modules = modules;
    this.host = host;
    this.beginPlacing();
    return modules.control;
  }

  /** Another app on this computer: a host with other storage. */
  run(
    app: string,
    product: 'indesign' | 'photoshop' = 'indesign',
  ): { modules: HostModules; host: Host } {
    const modules = createHostModules({ storageDir: join(this.root, app), uxpVersion: '9.3.0' });
    const { uxp, fs, os, photoshop, otherApps } = modules;
    const own =
      product === 'photoshop' ? { photoshop } : { indesign: otherApps.indesign as InDesignModule };
    this.runs.push(modules);
    return { modules, host: createUxpHost({ uxp, fs, os, ...own }, NO_NETWORK, this.clock) };
  }

  download(host = this.host, more: Partial<FileDownloadOptions> = {}): FileDownload {
    const { downloads } = host;
    if (!downloads) throw new Error('no downloads');
    return new FileDownload({
      downloads,
      requests: this.service,
      api: `${BASE}/api/v1`,
      origin: BASE,
      clock: host.clock,
      ...more,
    });
  }

  async folder(of: { modules: HostModules; host: Host } = this): Promise<ChosenFolder> {
    of.modules.control.pickers.answer([this.folderPath]);
    const folder = await of.host.folders?.pickFolder();
    if (!folder) throw new Error('no folder');
    return folder;
  }

  /** Gives the service a file. */
  deliver(
    bytes: Uint8Array<ArrayBuffer>,
    { name = 'Coast.jpg', id = 'u-1' }: { readonly name?: string; readonly id?: string } = {},
  ): DeliveredFile {
    this.service.files.set(id, bytes);
    return { id, name, size: bytes.length, sha256: digestOf(bytes), type: 'image/jpeg' };
  }

  /** The files in the folder of the user, by their names, without those that are not complete. */
  content(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      readdirSync(this.folderPath)
        .filter((name) => !name.startsWith('~'))
        .map((name) => [name, digestOf(readFileSync(join(this.folderPath, name)))]),
    );
  }

  /** The names of parts of downloads. */
  parts(): readonly string[] {
    try {
      return readdirSync(join(this.root, 'app', 'data', 'placing'));
    } catch {
      return [];
    }
  }

  end(): void {
    for (const run of this.runs) run.control.end();
    rmSync(this.root, { recursive: true, force: true });
  }
}
