import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Database } from '../../service/kernel/database/database.js';
import { openEmbeddedDatabase } from '../../service/kernel/database/pglite.js';
import { startService, type RunningService } from '../../service/start.js';
import { layReadyDatabase, openReadyDatabase } from '../service/support/database-templates.js';
import { startForeignTusService } from '../support/foreign-tus-service.js';

/**
 * Which service takes the photos: ours; or one that others made, which does not find an upload again, and takes bytes
 * with a creation, or none.
 */
export const SERVICES = ['ours', 'plain', 'creation-only'] as const;
export type ServiceKind = (typeof SERVICES)[number];

export interface Arrival {
  readonly name: string;
  readonly sha256: string | null;
  readonly clientUploadId: string;
  readonly isFinished: boolean;
  /** Bytes. */
  readonly size: number;
  /** Name of its project; null for none. */
  readonly project: string | null;
  /** The photo of which it is a version, and whether it is the current one. */
  readonly photo: string;
  readonly isCurrent: boolean;
}

/** The projects of our service. */
export const PROJECTS = ['Harbour', 'Wedding'] as const;

export interface CrashService {
  readonly demo: RunningService['demo'];
  readonly port: number;
  arrivals(): Promise<Arrival[]>;
  close(): Promise<void>;
}

export interface CrashServiceOptions {
  /** Where everything is that outlives a restart. */
  readonly folder: string;
  readonly database: CrashDatabase;
  /** 0 at the first start. */
  readonly port: number;
  readonly baseUrl: string;
  readonly accessTokenSeconds: number;
}

/** The database of a service, which outlives its restarts. */
export interface CrashDatabase {
  /** For one start of the service, which closes it. */
  open(): Promise<Database>;
  dispose(): Promise<void>;
}

/** Prepares a database for a first start: ours in the folder, or for another tus service one for sign-in only. */
export async function layDatabase(kind: ServiceKind, folder: string): Promise<CrashDatabase> {
  if (kind === 'ours') {
    const place = join(folder, 'database');
    await layReadyDatabase(place);
    return { open: () => openEmbeddedDatabase(place), dispose: () => Promise.resolve() };
  }
  const database = await openReadyDatabase();
  return {
    open: () => Promise.resolve({ ...database, close: () => Promise.resolve() }),
    dispose: () => database.close(),
  };
}

/** Starts a service, or starts it again on the same folder and port. */
export async function startCrashService(
  kind: ServiceKind,
  options: CrashServiceOptions,
): Promise<CrashService> {
  return kind === 'ours' ? startOurs(options) : startForeign(kind, options);
}

async function startOurs(options: CrashServiceOptions): Promise<CrashService> {
  const { folder, port, baseUrl, accessTokenSeconds } = options;
  const database = await options.database.open();
  const service = await startService({
    port,
    dataDir: join(folder, 'service'),
    database,
    baseUrl,
    shutdownGraceSeconds: 1,
    lifetimes: { accessTokenSeconds, pollIntervalSeconds: 1 },
  });
  await database.query(
    `INSERT INTO projects (id, workspace_id, name, created_at)
     SELECT 'project-' || place, id, project, now() FROM workspaces,
            string_to_table($1, ',') WITH ORDINALITY AS wanted (project, place)
      WHERE name = $2 ON CONFLICT DO NOTHING`,
    [PROJECTS.join(','), service.demo.workspace],
  );
  return {
    demo: service.demo,
    port: Number(service.listensOn.split(':').at(-1)),
    arrivals: () =>
      database.query<Arrival>(
        `SELECT uploads.name, sha256, client_upload_id AS "clientUploadId", size::integer,
                finished_at IS NOT NULL AS "isFinished", projects.name AS project,
                photo_id AS photo, is_current AS "isCurrent"
           FROM uploads LEFT JOIN projects ON projects.id = project_id`,
      ),
    close: () => service.close(),
  };
}

/** The uploads are at a plain tus server; everything else, the sign-in, is passed on to a service of ours behind it. */
async function startForeign(
  kind: 'plain' | 'creation-only',
  options: CrashServiceOptions,
): Promise<CrashService> {
  const ours = await startOurs({ ...options, port: 0 });
  const foreign = await startForeignTusService({
    port: options.port,
    directory: join(options.folder, 'foreign'),
    bytesAtCreation: kind === 'plain' ? 'taken' : 'refused',
    ...(kind === 'creation-only' && { extensions: ['creation'] }),
    intercept: (request, response) => {
      if (request.url?.startsWith('/api/v1/uploads') === true) return false;
      passOn(request, response, ours.port);
      return true;
    },
  });
  return {
    demo: ours.demo,
    port: foreign.port,
    arrivals: async () =>
      (await foreign.finished()).map(({ id, size, metadata, sha256 }) => ({
        name: metadata['filename'] ?? '',
        clientUploadId: metadata['client_upload_id'] ?? '',
        sha256,
        size,
        isFinished: true,
        project: null,
        photo: id,
        isCurrent: true,
      })),
    close: async () => {
      await foreign.close();
      await ours.close();
    },
  };
}

function passOn(request: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url, headers } = request;
  const onward = httpRequest({ port, host: 'localhost', method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
