import {
  array,
  boolean,
  description,
  isoTimestamp,
  maxLength,
  minLength,
  nullable,
  number,
  optional,
  picklist,
  pipe,
  strictObject,
  string,
  union,
  type InferOutput,
} from 'valibot';
import { visibilityOf, type Accounts, type Membership } from '../../identity/index.js';
import { refusal, tokenPermission, type BearerCheck, type Principal } from '../../oauth/index.js';
import { invalid, sendApiError, type ApiError } from '../../kernel/http/api-error.js';
import { permit, type Permission } from '../../kernel/http/permission.js';
import { parseJson } from '../../kernel/http/request/json-body.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendJson, sendStatus } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { isLanguage, LANGUAGES, type Language } from '../../kernel/i18n/locale-negotiation.js';
import { message } from '../../kernel/i18n/message.js';
import { formatEnglish } from '../../kernel/i18n/translator.js';
import { SHARES, SHARES_API_PATH } from '../../site/addresses/share-paths.js';
import {
  MAX_REVIEWERS,
  type FeedbackTable,
  type GuestAddresses,
  type PhotoTable,
  type ProjectTable,
} from '../../library/index.js';
import type { DigestTable } from '../digests/index.js';
import { checkReviewers, reviewerStates, type LinkFiles, type Round } from '../rounds/index.js';
import {
  DEFAULT_SHARE_DAYS,
  MAX_SHARE_PHOTOS,
  MAX_SHARES,
  SHARE_DOWNLOADS,
  type OpenShare,
  type Share,
  type SharingUser,
} from './share.js';
import type { GuestCookie } from './guest-cookie.js';
import {
  ShareChanges,
  type DecisionEdit,
  type ShareChangesDeps,
  type ShareEdit,
} from './share-changes.js';
import { entryProblem, ShareCreation, type ShareCreationDeps } from './share-creation.js';
import { roundLinks } from './round-link.js';
import { BUSY_RETRY_SECONDS } from './share-passwords.js';

export interface ShareApiDeps extends ShareCreationDeps, Omit<ShareChangesDeps, 'photos'> {
  readonly photos: PhotoTable;
  readonly answers: FeedbackTable;
  readonly digests: DigestTable;
  readonly guestAddresses: GuestAddresses;
  readonly guests: GuestCookie;
  readonly bearer: BearerCheck;
  readonly accounts: Pick<Accounts, 'workspacesOf' | 'mailLanguageOf'>;
  readonly projects: Pick<ProjectTable, 'find' | 'summary' | 'summaries'>;
  readonly baseUrl: string;
}

/** What a link shows that has ended or shows nothing. */
const NO_FILES: LinkFiles = { count: 0, first: [] };

/** How many files without a decision are listed for each reviewer. */
const MAX_MISSING = 100;

/** Room for the ids of {@link MAX_SHARE_PHOTOS} photos, in bytes. */
const MAX_BODY_BYTES = 128 * 1024;

const PASSWORD = pipe(string(), description('8 to 128 characters'));
const MORE = {
  days: optional(
    pipe(number(), description('After how many days the link expires: 1, 7, 30 or 90; else 30')),
  ),
  password: optional(PASSWORD),
  watermark: optional(
    pipe(
      boolean(),
      description(
        'Whether pictures carry the name of the workspace. Then guests can download web size only',
      ),
    ),
  ),
};
const NEW = union([
  strictObject({
    project: pipe(
      string(),
      description(
        'The id of a project that is not archived. The link shows the photos in it that the user sees, also those added later',
      ),
    ),
    ...MORE,
  }),
  strictObject({
    uploads: pipe(
      array(string()),
      minLength(1),
      maxLength(MAX_SHARE_PHOTOS),
      description('The ids of uploads that the user sees and that are not in the trash'),
    ),
    ...MORE,
  }),
]);
const LANGUAGE_TAGS = Object.keys(LANGUAGES).filter(isLanguage);
/** What PATCH changes; null removes. */
const EDIT = strictObject({
  title: optional(nullable(pipe(string(), description('Up to 100 characters')))),
  message: optional(nullable(pipe(string(), description('Up to 500 characters')))),
  cover: optional(nullable(pipe(string(), description('The id of one of the photos')))),
  downloads: optional(picklist(SHARE_DOWNLOADS)),
  shows_location: optional(
    pipe(boolean(), description('Whether originals keep their GPS location')),
  ),
  watermark: optional(
    pipe(
      boolean(),
      description(
        'Whether pictures carry the name of the workspace. Then `downloads` cannot be `original`',
      ),
    ),
  ),
  takes_feedback: optional(pipe(boolean(), description('Whether guests can answer'))),
  max_favourites: optional(
    nullable(pipe(number(), description('How many favorites one guest can have: 1 to 5000'))),
  ),
  max_downloads: optional(
    nullable(
      pipe(
        number(),
        description(
          'How many files all guests together can download: 1 to 10000. A file counts once',
        ),
      ),
    ),
  ),
  expires: optional(pipe(string(), isoTimestamp())),
  decision: optional(
    nullable(
      strictObject({
        until: pipe(
          string(),
          isoTimestamp(),
          description(
            'The end of a day, with the time zone of the studio, as 2026-12-01T23:59:59+01:00. Not after the link expires',
          ),
        ),
        reviewers: pipe(
          array(
            strictObject({
              name: string(),
              email: optional(
                nullable(
                  pipe(
                    string(),
                    description('Gets a reminder on the day before, without a decision'),
                  ),
                ),
              ),
              language: optional(
                pipe(
                  picklist(LANGUAGE_TAGS),
                  description(
                    'Of the mails to the reviewer. A new address has the language of your own mails otherwise',
                  ),
                ),
              ),
            }),
          ),
          minLength(1),
          maxLength(MAX_REVIEWERS),
          description('Different names. Guests who have one already become reviewers'),
        ),
      }),
    ),
  ),
  password: optional(nullable(PASSWORD)),
});
const EDIT_SHAPE =
  'an object with "title", "message", "cover", "downloads", "shows_location", "watermark", "takes_feedback", "max_favourites", "max_downloads", "expires", "decision" and "password", each optional';

const SHAPE =
  `{"project"} or {"uploads": [1 to ${MAX_SHARE_PHOTOS} ids]}, ` +
  'and if you like "days", "password" and "watermark"';

/** The API for links: those of the token's user in the token's workspace. */
export function shareApiRoutes(deps: ShareApiDeps): Route[] {
  const api = new ShareApi(deps);
  const member = memberPermission(deps);
  return [
    {
      path: SHARES_API_PATH,
      kind: 'api',
      bodies: { POST: NEW },
      maxBodyBytes: MAX_BODY_BYTES,
      handlers: permit(member, {
        GET: (context, caller) => api.list(context, caller),
        POST: (context, caller) => api.create(context, caller),
      }),
    },
    {
      path: `${SHARES_API_PATH}/:id`,
      kind: 'api',
      bodies: { PATCH: EDIT },
      handlers: permit(member, {
        GET: (context, caller) => api.show(context, caller),
        PATCH: (context, caller) => api.change(context, caller),
        DELETE: (context, caller) => api.revoke(context, caller),
      }),
    },
    {
      path: `${SHARES_API_PATH}/:id/restore`,
      kind: 'api',
      handlers: permit(member, { POST: (context, caller) => api.restore(context, caller) }),
    },
  ];
}

/** The user of a request, with their membership in the workspace of the token. */
interface Caller extends Principal {
  readonly workspace: Membership;
}

/** Requires a token for links, and finds the membership of its user. */
function memberPermission({ bearer, accounts }: ShareApiDeps): Permission<Caller> {
  const token = tokenPermission(bearer, ['shares:write']);
  return {
    ...token,
    authorize: async (context) => {
      const caller = await token.authorize(context);
      if (caller === undefined) {
        return undefined;
      }
      const memberships = await accounts.workspacesOf(caller.accountId);
      const workspace = memberships.find(({ id }) => id === caller.workspaceId);
      if (workspace === undefined) {
        // The user has left the workspace since the token was checked.
        sendApiError(context.response, refusal(bearer.invalidToken));
      }
      return workspace && { ...caller, workspace };
    },
  };
}

/** The user on whose behalf an app or a personal access token calls. */
function userOf({ accountId, permission }: Caller): SharingUser {
  return { accountId, ...(permission.kind === 'grant' && { grantId: permission.id }) };
}

class ShareApi {
  private readonly creation: ShareCreation;
  private readonly changes: ShareChanges;
  private readonly linkOf: ReturnType<typeof roundLinks>;

  constructor(private readonly deps: ShareApiDeps) {
    this.linkOf = roundLinks(deps);
    this.creation = new ShareCreation(deps);
    this.changes = new ShareChanges(deps);
  }

  /** Answers `GET /api/v1/shares`. */
  async list({ response, query }: BufferedContext, caller: Caller): Promise<void> {
    const [project, photo] = [query.get('project') ?? undefined, query.get('upload') ?? undefined];
    if (project !== undefined && photo !== undefined) {
      sendApiError(response, invalid('choose either project or upload'));
      return;
    }
    const filter = { creatorId: caller.accountId, project, photo };
    const shares = await this.deps.shares.of(caller.workspaceId, filter);
    sendJson(response, 200, { shares: await this.present(caller, shares) });
  }

  /** Answers `POST /api/v1/shares`. */
  async create(context: BufferedContext, caller: Caller): Promise<void> {
    const { request, response, body: sent } = context;
    const body = parseJson(request, sent, NEW, SHAPE);
    if ('refused' in body) {
      sendApiError(response, body.refused);
      return;
    }
    const { value } = body;
    const { days = DEFAULT_SHARE_DAYS, password = '', watermark = false } = value;
    const entry = { days, password, watermark };
    const problem = entryProblem(entry);
    if (problem !== undefined) {
      sendApiError(response, invalid(formatEnglish(problem)));
      return;
    }
    const sharer = { accountId: caller.accountId, memberships: [caller.workspace] };
    const about =
      'project' in value
        ? await this.creation.project(value.project, sharer)
        : await this.creation.photos(value.uploads, sharer);
    if (about === undefined) {
      sendApiError(response, 'project' in value ? UNKNOWN_PROJECT : UNKNOWN_UPLOAD);
      return;
    }
    const exchange = { request, response };
    const made = await this.creation.create(about, entry, userOf(caller), exchange);
    if (made === 'busy') {
      sendApiError(response, BUSY);
    } else if (made === 'full') {
      sendApiError(response, FULL);
    } else if (made === 'no member') {
      sendApiError(response, refusal(this.deps.bearer.invalidToken));
    } else {
      await this.sendShare(context, caller, made.id, 201);
    }
  }

  /** Answers `GET /api/v1/shares/{id}`. */
  async show(context: BufferedContext, caller: Caller): Promise<void> {
    const share = await this.ownLink(context, caller);
    if (share !== undefined) {
      await this.sendShare(context, caller, share.id, 200);
    }
  }

  /** Answers `PATCH /api/v1/shares/{id}`. */
  async change(context: BufferedContext, caller: Caller): Promise<void> {
    const { request, response, body: sent } = context;
    const share = await this.ownLink(context, caller);
    if (share === undefined) {
      return;
    }
    const body = parseJson(request, sent, EDIT, EDIT_SHAPE);
    if ('refused' in body) {
      sendApiError(response, body.refused);
      return;
    }
    const { expires, title, message: text, ...more } = body.value;
    const language = await this.deps.accounts.mailLanguageOf(caller.accountId);
    const edit: ShareEdit = {
      ...(title !== undefined && { title: title ?? undefined }),
      ...(text !== undefined && { message: text ?? undefined }),
      ...(more.downloads !== undefined && { downloads: more.downloads }),
      ...(more.shows_location !== undefined && { showsLocation: more.shows_location }),
      ...(more.watermark !== undefined && { watermark: more.watermark }),
      ...(more.takes_feedback !== undefined && { takesFeedback: more.takes_feedback }),
      ...(more.max_favourites !== undefined && { maxFavourites: more.max_favourites ?? undefined }),
      ...(more.max_downloads !== undefined && { maxDownloads: more.max_downloads ?? undefined }),
      ...(expires !== undefined && { expiresAt: new Date(expires) }),
      ...(more.cover !== undefined && { cover: more.cover ?? '' }),
      ...(more.decision !== undefined && { decision: decisionOf(more.decision, language) }),
      ...(more.password !== undefined && { password: more.password ?? '' }),
    };
    const exchange = { request, response };
    const changed = await this.changes.change(share, edit, userOf(caller), exchange);
    if (changed === 'changed') {
      await this.sendShare(context, caller, share.id, 200);
    } else if (changed === 'busy') {
      sendApiError(response, BUSY);
    } else if (changed === 'gone') {
      sendApiError(response, NOT_FOUND);
    } else {
      const isFull = changed.problem.key === 'tooManyShares';
      sendApiError(response, isFull ? FULL : invalid(formatEnglish(changed.problem)));
    }
  }

  /** Answers `DELETE /api/v1/shares/{id}`. */
  async revoke(context: BufferedContext, caller: Caller): Promise<void> {
    const share = await this.ownLink(context, caller);
    if (share !== undefined) {
      await this.changes.revoke(share, userOf(caller), context.response);
      sendStatus(context.response, 204);
    }
  }

  /** Answers `POST /api/v1/shares/{id}/restore`. */
  async restore(context: BufferedContext, caller: Caller): Promise<void> {
    const share = await this.ownLink(context, caller, 'ended');
    if (share === undefined) {
      return;
    }
    const problem = await this.changes.restore(share, userOf(caller), context.response);
    if (problem === undefined) {
      await this.sendShare(context, caller, share.id, 200);
    } else {
      sendApiError(context.response, FULL);
    }
  }

  /** The link of the address, if it is the caller's; undefined when the refusal has been sent. */
  private async ownLink(
    { response, id }: BufferedContext,
    caller: Caller,
    state: 'working' | 'ended' = 'working',
  ): Promise<OpenShare | undefined> {
    const { shares } = this.deps;
    const working = await shares.find(id);
    const share = working ?? (state === 'ended' ? await shares.findEnded(id) : undefined);
    const isOwn =
      share?.creatorId === caller.accountId && share.workspace.id === caller.workspaceId;
    if (share === undefined || !isOwn) {
      sendApiError(response, NOT_FOUND);
      return undefined;
    }
    return share;
  }

  private async sendShare(
    { response }: BufferedContext,
    caller: Caller,
    id: string,
    status: number,
  ): Promise<void> {
    const share = (await this.deps.shares.find(id)) ?? (await this.deps.shares.findEnded(id));
    const [presented] = await this.present(caller, share === undefined ? [] : [share]);
    if (presented === undefined) {
      sendApiError(response, NOT_FOUND);
    } else {
      sendJson(response, status, presented);
    }
  }

  /** Links of the caller as JSON. */
  private async present(
    { workspace, accountId }: Caller,
    shares: readonly Share[],
  ): Promise<Record<string, unknown>[]> {
    const projectIds = new Set(
      shares.flatMap(({ target }) => (target.kind === 'project' ? [target.id] : [])),
    );
    const view = visibilityOf(workspace, accountId);
    const [one] = projectIds;
    const counted =
      projectIds.size === 1 && one !== undefined
        ? [await this.deps.projects.summary(view, one)]
        : projectIds.size === 0
          ? []
          : await this.deps.projects.summaries(view);
    const photosIn = new Map(counted.map((project) => [project?.id, project?.photos]));
    const rounds = await this.deps.rounds.ofShares(shares.map(({ id }) => id));
    const presented = shares.map(async (share) => {
      const { target } = share;
      const isProject = target.kind === 'project';
      return {
        id: share.id,
        url: this.deps.baseUrl + SHARES.shared(this.deps.shares.tokenOf(share.id)),
        name: target.name,
        photos: isProject ? (photosIn.get(target.id) ?? 0) : target.shown,
        project: isProject ? { id: target.id, name: target.name } : null,
        has_password: share.passwordHash !== undefined,
        created: share.createdAt.toISOString(),
        expires: share.expiresAt.toISOString(),
        title: share.title ?? null,
        message: share.message ?? null,
        cover: share.coverPhotoId ?? null,
        downloads: share.downloads,
        shows_location: share.showsLocation,
        watermark: share.watermark,
        takes_feedback: share.takesFeedback,
        max_favourites: share.maxFavourites ?? null,
        max_downloads: share.maxDownloads ?? null,
        views: share.views,
        download_count: share.downloadCount,
        opened: share.openedAt?.toISOString() ?? null,
        suspended: share.suspension ?? null,
        decision: await this.presentDecision(share, rounds.get(share.id)),
      };
    });
    return Promise.all(presented);
  }

  /** What a link asks its reviewers for, as JSON; null for nothing. */
  private async presentDecision(
    share: Share,
    round: Round | undefined,
  ): Promise<Record<string, unknown> | null> {
    if (round === undefined) {
      return null;
    }
    const { shares, guests, baseUrl } = this.deps;
    const { files = NO_FILES } = (await this.linkOf(share.id)) ?? {};
    const states = await reviewerStates(this.deps, round, files);
    const address = baseUrl + SHARES.shared(shares.tokenOf(share.id));
    return {
      until: round.until.toISOString(),
      reviewers: states.map(({ reviewer, withdrawn, ...state }) => ({
        ...{ guest: reviewer.id, name: reviewer.name, email: reviewer.email ?? null },
        language: reviewer.email === undefined ? null : reviewer.locale,
        url: `${address}?guest=${guests.invitation(share, reviewer)}`,
        ...{ files: state.files, decided: state.decided },
        missing: state.missing.slice(0, MAX_MISSING).map(({ id, name }) => ({ id, name })),
        ...{ has_decided: state.hasDecided, approvals: state.approvals, changes: state.changes },
        ...{ outdated: state.outdated, withdrawn: withdrawn.length },
      })),
    };
  }
}

/** The decision of a request. The zone of its time is that of the studio. @param locale where none is given */
function decisionOf(
  wanted: InferOutput<typeof EDIT>['decision'],
  locale: Language,
): DecisionEdit | undefined {
  if (!wanted) {
    return undefined;
  }
  const { until, reviewers } = wanted;
  const [, sign = '+', hours = '0', minutes = '0'] =
    /([+-])(\d\d):?(\d\d)?$/.exec(until.slice('yyyy-mm-dd'.length)) ?? [];
  const ahead = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  return {
    ...{ until: new Date(until), offset: -ahead, locale },
    reviewers: checkReviewers(
      reviewers.map(({ name, email, language }) => ({
        ...{ name, email: email ?? undefined, locale: language },
      })),
    ),
  };
}

const NOT_FOUND: ApiError = {
  status: 404,
  error: 'not_found',
  description: 'there is no such link',
};

const UNKNOWN_PROJECT: ApiError = {
  status: 422,
  error: 'unknown_project',
  description: 'there is no such project, or it is archived',
};

const UNKNOWN_UPLOAD: ApiError = {
  status: 422,
  error: 'unknown_upload',
  description: 'one of the uploads does not exist, is in the trash, or cannot be seen by the user',
};

const FULL: ApiError = {
  status: 409,
  error: 'too_many_links',
  description: formatEnglish(message('tooManyShares', { max: MAX_SHARES })),
};

const BUSY: ApiError = {
  status: 503,
  error: 'temporarily_unavailable',
  description: formatEnglish(message('shareBusy')),
  headers: { 'Retry-After': String(BUSY_RETRY_SECONDS) },
};
