import {
  editableBy,
  visibilityOf,
  type Accounts,
  type Visibility,
} from '../../../identity/index.js';
import type { Queryable, SqlValue } from '../../../kernel/database/database.js';
import type { Principal } from '../../../oauth/index.js';
import type { MediaInfo, PictureInfo } from '../../previews/index.js';
import {
  answerSummaries,
  feedbackOf,
  type Feedback,
  type FeedbackSummary,
  type Approval,
} from '../../feedback/index.js';
import { toListed, type ApiFilter, type PageRequest } from './pagination.js';
import {
  LISTED,
  toListedUpload,
  uploadsById,
  type ListedRow,
  type ListedUpload,
} from '../../uploads/index.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { NO_PROJECT } from '../../projects/index.js';
import { contains } from '../data/photo-filter.js';
import { VersionTable, type Version } from '../data/version-table.js';

/** An upload as programs see it. */
export interface PresentedUpload extends ListedUpload {
  /** The photo that it is a version of. */
  readonly photoId: string;
  readonly isCurrent: boolean;
  readonly project: { readonly id: string; readonly name: string } | null;
  readonly sentBy: { readonly username: string; readonly name: string };
  /** The address of the photo's page. */
  readonly page: string;
  /** By the content; undefined when it is not known, or was not read yet. */
  readonly mediaType: string | undefined;
  readonly media: MediaInfo | undefined;
  readonly info: PictureInfo | undefined;
  /** What guests of links said about its photo; undefined if nobody said anything. */
  readonly answers: FeedbackSummary | undefined;
}

/** The part of a workspace that an API client can see: at most what its user can see. */
export interface Reach extends Visibility {
  /** Only what this app has sent; undefined: any app. */
  readonly clientId: string | undefined;
  /** Those in the trash: only of this user, who may restore them; undefined: of everybody. */
  readonly trashOf: string | undefined;
  /** The user, whose documents these are. */
  readonly callerId: string;
}

interface ShownRow extends ListedRow {
  photo_id: string;
  is_current: boolean;
  project_id: string | null;
  project_name: string | null;
  username: string;
  display_name: string;
  media_type: string | null;
  media_info: MediaInfo | null;
  picture_info: PictureInfo | null;
}

/** The purpose of a look-up: the description, as in the list, or the bytes, which have a separate scope. */
export type Purpose = 'list' | 'content';

/** How many other versions of an upload programs get. */
const MAX_VERSIONS = 100;

/** How many photos of one document are found: its pages or artboards in several formats. */
const MAX_OF_DOCUMENT = 1000;

/** How much feedback on a photo programs get. */
const MAX_FEEDBACK = 500;

/** How many uploads of a project one query reads. */
const PART = 1000;

/** The finished uploads outside the trash that an API client may see. */
export class UploadApiRepository {
  private readonly versions: VersionTable;

  constructor(
    private readonly database: Queryable,
    private readonly accounts: Pick<Accounts, 'workspacesOf'>,
    /** The origin of the service. */
    private readonly issuer: string,
  ) {
    this.versions = new VersionTable(database);
  }

  /** A page of the list, oldest first. */
  async page(caller: Principal, request: PageRequest): Promise<PresentedUpload[]> {
    return this.query(await this.reachOf(caller, 'list'), request);
  }

  /** One upload; undefined when it does not exist or the program may not see it. */
  async one(caller: Principal, id: string, purpose: Purpose): Promise<PresentedUpload | undefined> {
    const [found] = await this.query(await this.reachOf(caller, purpose), { id, limit: 1 });
    return found;
  }

  /** An upload that the program may list, with what it sees besides. */
  async withReach(
    caller: Principal,
    id: string,
  ): Promise<{ readonly photoId: string; readonly view: Reach } | undefined> {
    const view = await this.reachOf(caller, 'list');
    const [found] = await this.query(view, { id, limit: 1 });
    return found && { photoId: found.photoId, view };
  }

  /** Those of these uploads that the program may list. @param ids at most a thousand, each once */
  async several(caller: Principal, ids: readonly string[]): Promise<PresentedUpload[]> {
    return this.query(await this.reachOf(caller, 'list'), { ids, limit: ids.length });
  }

  /** The ids of the current versions in a project that the program may list, at most `most`. */
  async currentOfProject(caller: Principal, project: string, most: number): Promise<string[]> {
    const ids: string[] = [];
    const filter = { name: '', day: undefined, project };
    let after: PageRequest['after'];
    do {
      const page = await this.query(await this.reachOf(caller, 'list'), {
        ...{ filter, after },
        limit: PART,
      });
      ids.push(...page.filter(({ isCurrent }) => isCurrent).map(({ id }) => id));
      after = page.length < PART ? undefined : page.at(-1);
    } while (after !== undefined && ids.length < most);
    return ids.slice(0, most);
  }

  /** The other versions of a photo of which {@link UploadApiRepository.one} has found one for 'list', newest first. */
  async otherVersions(
    caller: Principal,
    { id, photoId }: Pick<PresentedUpload, 'id' | 'photoId'>,
  ): Promise<Version[]> {
    const { clientId } = await this.reachOf(caller, 'list');
    const found = await this.versions.of(photoId, { limit: MAX_VERSIONS + 1, clientId });
    return found.filter((version) => version.id !== id).slice(0, MAX_VERSIONS);
  }

  /** The numbers of uploads that {@link UploadApiRepository.several} has found, from 1; high ones are left out. */
  async versionNumbers(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return ids.length === 0 ? new Map() : this.versions.numbers(ids);
  }

  /** The newest feedback on a photo of which {@link UploadApiRepository.one} has found a version for 'list', oldest first. */
  feedback(
    { photoId }: Pick<PresentedUpload, 'photoId'>,
    most = MAX_FEEDBACK,
  ): Promise<Feedback[]> {
    return feedbackOf(this.database, photoId, most);
  }

  /**
   * With `workspace:read` all uploads visible in the browser; otherwise the user's own. For the list
   * without `uploads:read`, only uploads of the same app.
   */
  async reachOf(caller: Principal, purpose: Purpose): Promise<Reach> {
    const { accountId, workspaceId, clientId, scopes } = caller;
    if (scopes.has('workspace:read')) {
      const memberships = await this.accounts.workspacesOf(accountId);
      const workspace = memberships.find(({ id }) => id === workspaceId);
      if (workspace !== undefined) {
        const visible = visibilityOf(workspace, accountId);
        const trashOf = editableBy(workspace, accountId).accountId;
        return { ...visible, trashOf, clientId: undefined, callerId: accountId };
      }
    }
    const isOfApp = purpose === 'list' && !scopes.has('uploads:read');
    return {
      workspaceId,
      accountId,
      trashOf: accountId,
      clientId: isOfApp ? clientId : undefined,
      callerId: accountId,
    };
  }

  /** Looked up first: the query planner has statistics for a given id, but not for one from a subquery. */
  private async idOf(username: string): Promise<string | null> {
    const [account] = await this.database.query<{ id: string }>(
      'SELECT id FROM accounts WHERE username = $1',
      [username],
    );
    return account?.id ?? null;
  }

  /**
   * The current versions of the photos that have a version of a document. Looked up first: together with the order of
   * the list, the planner could read all photos of the user.
   */
  private async ofDocument(
    { workspaceId, callerId }: Pick<Reach, 'workspaceId' | 'callerId'>,
    document: string,
  ): Promise<string[]> {
    const photos = await this.database.query<{ id: string }>(
      `SELECT DISTINCT current.id FROM uploads AS version
         JOIN uploads AS current ON current.photo_id = version.photo_id AND current.is_current
        WHERE ARRAY[version.account_id, version.workspace_id, split_part(version.document, '#', 1)] = ARRAY[$1, $2, $3]
          AND version.document IS NOT NULL AND version.finished_at IS NOT NULL AND version.trashed_at IS NULL
        LIMIT ${MAX_OF_DOCUMENT}`,
      [callerId, workspaceId, document],
    );
    return photos.map(({ id }) => id);
  }

  private async query(
    { workspaceId, accountId, clientId, callerId }: Reach,
    request: Partial<PageRequest> & {
      readonly limit: number;
      readonly id?: string;
      readonly ids?: readonly string[];
    },
  ): Promise<PresentedUpload[]> {
    const { limit, id, after, sha256, filter, username, document } = request;
    const ids =
      document === undefined
        ? request.ids
        : await this.ofDocument({ workspaceId, callerId }, document);
    const values: SqlValue[] = [workspaceId, limit];
    const value = (one: SqlValue): string => `$${values.push(one)}`;
    const conditions = [
      'workspace_id = $1 AND finished_at IS NOT NULL AND trashed_at IS NULL',
      ...(accountId === undefined ? [] : [`account_id = ${value(accountId)}`]),
      ...(clientId === undefined ? [] : [`client_id = ${value(clientId)}`]),
      ...(id === undefined ? [] : [`id = ${value(id)}`]),
      ...(sha256 === undefined ? [] : [`sha256 = ${value(sha256)}`]),
      ...(username === undefined ? [] : [`account_id = ${value(await this.idOf(username))}`]),
      ...(filter === undefined ? [] : filterConditions(filter, value)),
      ...(after === undefined
        ? []
        : [`(created_at, id) > (${value(after.createdAt)}, ${value(after.id)})`]),
    ];
    const source =
      ids === undefined ? 'uploads' : `${uploadsById(value(ids.join(',')))} AS uploads`;
    // As one JSON text: the embedded database takes ten times as long to return a thousand rows. The names are looked up
    // by index, see `withNames` in photo-table.ts.
    const [page] = await this.database.query<{ uploads: ShownRow[] | null }>(
      `SELECT json_agg(shown ORDER BY created_at, id) AS uploads FROM (
         SELECT listed.*, projects.name AS project_name, accounts.username,
                accounts.display_name
           FROM (SELECT ${LISTED}, media_type, media_info, picture_info, photo_id, is_current, account_id, project_id FROM ${source}
                  WHERE ${conditions.join(' AND ')} ORDER BY created_at, id LIMIT $2) AS listed
          CROSS JOIN LATERAL (
                SELECT username, display_name FROM accounts WHERE id = listed.account_id LIMIT 1) AS accounts
           LEFT JOIN LATERAL (
                SELECT name FROM projects WHERE id = listed.project_id LIMIT 1) AS projects ON true
       ) AS shown`,
      values,
    );
    const uploads = page?.uploads ?? [];
    const photoIds = [...new Set(uploads.map((upload) => upload.photo_id))];
    const answers = await answerSummaries(this.database, photoIds);
    return uploads.map((upload) =>
      toShown(upload, answers.get(upload.photo_id), `${this.issuer}${PHOTOS.photo(upload.id)}`),
    );
  }
}

const DAY_MS = 24 * 3_600_000;

/** @param value adds a value to the query, and gives its placeholder. */
function filterConditions(
  { name, day, project }: ApiFilter,
  value: (one: SqlValue) => string,
): string[] {
  return [
    ...(day === undefined
      ? []
      : [
          `finished_at >= ${value(day)}`,
          `finished_at < ${value(new Date(day.getTime() + DAY_MS))}`,
        ]),
    ...(project === undefined
      ? []
      : [project === NO_PROJECT ? 'project_id IS NULL' : `project_id = ${value(project)}`]),
    ...(name === '' ? [] : [contains(name, value)]),
  ];
}

/** A list has a thousand of these. Members after a spread take V8 twenty times as long as members before it. */
function toShown(
  row: ShownRow,
  answers: FeedbackSummary | undefined,
  page: string,
): PresentedUpload {
  return {
    photoId: row.photo_id,
    isCurrent: row.is_current,
    createdAt: new Date(row.created_at),
    project: row.project_id === null ? null : { id: row.project_id, name: row.project_name ?? '' },
    sentBy: { username: row.username, name: row.display_name },
    mediaType: row.media_type ?? undefined,
    media: row.media_info ?? undefined,
    info: row.picture_info ?? undefined,
    answers,
    page,
    ...toListedUpload(row),
  };
}

/** An approval as JSON, for answers of the API. */
function presentApproval(approval: Approval): Record<string, unknown> {
  const { version, sha256, at, by, isCurrent } = approval;
  return { version, sha256, at: at.toISOString(), by, is_current: isCurrent };
}

/** An upload as JSON, for answers of the API. The spread is last for the reason of {@link toShown}. */
export function presentUpload(upload: PresentedUpload): Record<string, unknown> {
  const { approval, comments = 0 } = upload.answers ?? {};
  return {
    photo: upload.photoId,
    current: upload.isCurrent,
    project: upload.project,
    sent_by: upload.sentBy,
    media_type: upload.mediaType ?? null,
    media: upload.media === undefined ? null : presentMedia(upload.media),
    picture: upload.info === undefined ? null : presentInfo(upload.info),
    approval: approval === undefined ? null : presentApproval(approval),
    comments,
    page: upload.page,
    ...toListed(upload),
  };
}

/** The pages of a document or the duration of a video, as JSON. */
function presentMedia(media: MediaInfo): Record<string, unknown> {
  return media.kind === 'document'
    ? { kind: media.kind, pages: media.pages }
    : {
        kind: media.kind,
        duration: media.duration ?? null,
        frame_rate: media.frameRate ?? null,
        video_codec: media.videoCodec ?? null,
        audio_codec: media.audioCodec ?? null,
        hdr: media.isHdr ?? false,
      };
}

/** A file's own information about its picture, as JSON. Every member is there. */
function presentInfo(info: PictureInfo): Record<string, unknown> {
  const { exposure = {} } = info;
  return {
    camera: info.camera ?? null,
    lens: info.lens ?? null,
    exposure_time: exposure.time ?? null,
    aperture: exposure.aperture ?? null,
    iso: exposure.iso ?? null,
    focal_length: exposure.focalLength ?? null,
    title: info.title ?? null,
    caption: info.caption ?? null,
    keywords: info.keywords ?? [],
    creator: info.creator ?? null,
    copyright: info.copyright ?? null,
    rating: info.rating ?? null,
    has_location: info.hasLocation ?? false,
  };
}

/** A version of an upload as JSON, for answers of the API. */
export function presentVersion(version: Version): Record<string, unknown> {
  return {
    id: version.id,
    current: version.isCurrent,
    name: version.name,
    size: version.size,
    sha256: version.sha256,
    created: version.createdAt.toISOString(),
    width: version.width ?? null,
    height: version.height ?? null,
  };
}
