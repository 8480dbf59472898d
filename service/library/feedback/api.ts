import { description, maxLength, pipe, strictObject, string } from 'valibot';
import {
  editableBy,
  visibilityOf,
  type Accounts,
  type Audit,
  type Visibility,
} from '../../identity/index.js';
import { invalid, sendApiError, type ApiError } from '../../kernel/http/api-error.js';
import { permit } from '../../kernel/http/permission.js';
import { parseJson } from '../../kernel/http/request/json-body.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendJson, sendStatus } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { tokenPermission, type BearerCheck, type Principal } from '../../oauth/index.js';
import { FEEDBACK_API_PATH } from '../../site/addresses/feedback-paths.js';
import type { ListQueue } from '../../kernel/rate-limit/list-queue.js';
import { FEEDBACK_EVENTS } from './events.js';
import { ANSWER_KINDS, commentOf, MAX_COMMENT, type Comment, type Feedback } from './feedback.js';
import type { FeedbackFilter, FeedbackTable, FeedbackView } from './feedback-table.js';
import { presentFeedback } from './present-feedback.js';
import { changeRecorder } from './record-change.js';

export interface FeedbackApiDeps {
  readonly bearer: BearerCheck;
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
  readonly answers: FeedbackTable;
  readonly audit: Audit;
  readonly lists: ListQueue;
}

/** The most feedback in one answer; also the number when the client gives no limit. */
const MAX_PAGE = 1000;

/** An answer ends with the feedback that reaches this many bytes, so that a client can limit what it reads. */
const MAX_PAGE_BYTES = 1024 * 1024;

const REPLY = strictObject({
  text: pipe(string(), maxLength(MAX_COMMENT), description('Up to 2000 characters')),
});

/** The API for feedback: on the photos that the token's user sees. Changes need the right to change the photo. */
export function feedbackApiRoutes(deps: FeedbackApiDeps): Route[] {
  const api = new FeedbackApi(deps);
  const reading = tokenPermission(deps.bearer, ['uploads:write', 'uploads:read', 'workspace:read']);
  const writing = tokenPermission(deps.bearer, ['feedback:write']);
  const change = (name: string, act: FeedbackApi['setDone'], isDone: boolean): Route => ({
    path: `${FEEDBACK_API_PATH}/:id/${name}`,
    kind: 'api',
    handlers: permit(writing, { POST: (context, caller) => act(context, caller, isDone) }),
  });
  const setDone: FeedbackApi['setDone'] = (...about) => api.setDone(...about);
  return [
    {
      path: FEEDBACK_API_PATH,
      kind: 'api',
      handlers: permit(reading, {
        GET: (context, caller) => deps.lists.run(caller.accountId, () => api.list(context, caller)),
      }),
    },
    {
      path: `${FEEDBACK_API_PATH}/:id`,
      kind: 'api',
      handlers: {
        ...permit(reading, { GET: (context, caller) => api.one(context, caller) }),
        ...permit(writing, { DELETE: (context, caller) => api.remove(context, caller) }),
      },
    },
    {
      path: `${FEEDBACK_API_PATH}/:id/reply`,
      kind: 'api',
      bodies: { POST: REPLY },
      handlers: permit(writing, { POST: (context, caller) => api.reply(context, caller) }),
    },
    change('done', setDone, true),
    change('reopen', setDone, false),
  ];
}

class FeedbackApi {
  constructor(private readonly deps: FeedbackApiDeps) {}

  /** Answers `GET /api/v1/feedback`. */
  async list({ response, query }: BufferedContext, caller: Principal): Promise<void> {
    const page = readPage(query, caller.accountId);
    if (typeof page === 'string') {
      sendApiError(response, invalid(page));
      return;
    }
    const view = await this.viewOf(caller);
    // One more than wanted, to see whether there are more.
    const found =
      view === undefined ? [] : await this.deps.answers.list(view, page, page.limit + 1);
    const entries = withinBytes(found.slice(0, page.limit).map(presentFeedback));
    const last = found[entries.length - 1];
    const next =
      found.length > entries.length && last !== undefined ? nextPage(page, query, last) : undefined;
    if (next !== undefined) {
      response.setHeader('Link', `<${next}>; rel="next"`);
    }
    sendJson(response, 200, {
      feedback: entries,
      ...(next !== undefined && { next }),
    });
  }

  /** Answers `GET /api/v1/feedback/{id}`. */
  async one({ response, id }: BufferedContext, caller: Principal): Promise<void> {
    const view = await this.viewOf(caller);
    await this.send(response, view, id);
  }

  /** Answers `POST /api/v1/feedback/{id}/reply`. */
  async reply(context: BufferedContext, caller: Principal): Promise<void> {
    const { request, response, body: sent, id } = context;
    const comment = await this.changeable(context, caller);
    if (comment === undefined) {
      return;
    }
    const body = parseJson(request, sent, REPLY, '{"text"}');
    if ('refused' in body) {
      sendApiError(response, body.refused);
      return;
    }
    const text = commentOf(body.value.text);
    if (text === undefined) {
      sendApiError(response, invalid(`text must have 1 to ${MAX_COMMENT} characters`));
      return;
    }
    const record = this.recorder(context, caller)(FEEDBACK_EVENTS.commentReplied);
    await this.deps.answers.reply(comment.photoId, id, { text, by: caller.accountId }, record);
    await this.send(response, await this.editable(caller), id);
  }

  /** Answers `POST /api/v1/feedback/{id}/done` and `/reopen`. */
  async setDone(context: BufferedContext, caller: Principal, isDone: boolean): Promise<void> {
    const { response, id } = context;
    const comment = await this.changeable(context, caller);
    if (comment !== undefined) {
      const { commentDone, commentReopened } = FEEDBACK_EVENTS;
      const record = this.recorder(context, caller)(isDone ? commentDone : commentReopened);
      await this.deps.answers.setDone(comment.photoId, id, isDone, record);
      await this.send(response, await this.editable(caller), id);
    }
  }

  /** Answers `DELETE /api/v1/feedback/{id}`. */
  async remove(context: BufferedContext, caller: Principal): Promise<void> {
    const comment = await this.changeable(context, caller);
    if (comment !== undefined) {
      const record = this.recorder(context, caller)(FEEDBACK_EVENTS.commentDeleted);
      await this.deps.answers.remove(comment.photoId, context.id, record);
      sendStatus(context.response, 204);
    }
  }

  private async send(
    response: BufferedContext['response'],
    view: FeedbackView | undefined,
    id: string,
  ): Promise<void> {
    const found = view && (await this.deps.answers.one(view, id));
    if (found === undefined) {
      sendApiError(response, NOT_FOUND);
    } else {
      sendJson(response, 200, presentFeedback(found));
    }
  }

  /** The comment of the address, if the user may change it; undefined when the refusal has been sent. */
  private async changeable(
    { response, id }: BufferedContext,
    caller: Principal,
  ): Promise<Comment | undefined> {
    const view = await this.editable(caller);
    const found = view && (await this.deps.answers.one(view, id));
    if (found === undefined) {
      sendApiError(response, NOT_FOUND);
      return undefined;
    }
    if (found.kind !== 'comment') {
      sendApiError(response, NO_COMMENT);
      return undefined;
    }
    return found;
  }

  /**
   * What the user sees: with `workspace:read` as in the browser, with `uploads:read` on their own photos, else on those that the
   * same app sent.
   */
  private async viewOf(caller: Principal): Promise<FeedbackView | undefined> {
    const workspace = await this.workspaceOf(caller);
    if (workspace === undefined) {
      return undefined;
    }
    const { scopes, accountId, clientId } = caller;
    return scopes.has('workspace:read')
      ? visibilityOf(workspace, accountId)
      : {
          ...{ workspaceId: workspace.id, accountId },
          clientId: scopes.has('uploads:read') ? undefined : clientId,
        };
  }

  private async editable(caller: Principal): Promise<Visibility | undefined> {
    const workspace = await this.workspaceOf(caller);
    return workspace && editableBy(workspace, caller.accountId);
  }

  private async workspaceOf({ accountId, workspaceId }: Principal) {
    const memberships = await this.deps.accounts.workspacesOf(accountId);
    return memberships.find(({ id }) => id === workspaceId);
  }

  private recorder(
    { response }: BufferedContext,
    { accountId, workspaceId, permission }: Principal,
  ): ReturnType<typeof changeRecorder> {
    return changeRecorder(this.deps.audit, response, {
      by: accountId,
      workspace: workspaceId,
      ...(permission.kind === 'grant' && { grantId: permission.id }),
    });
  }
}

interface Page extends FeedbackFilter {
  readonly limit: number;
}

const FILTERS = ['since', 'link', 'project', 'upload', 'document', 'kind'] as const;
const PARAMETERS: readonly string[] = ['limit', 'after', ...FILTERS];

/**
 * Reads the query of the list.
 * @param accountId of the user, whose documents these are
 * @returns one sentence about the problem for a query that is wrong
 */
function readPage(query: URLSearchParams, accountId: string): Page | string {
  const names = [...query.keys()];
  if (!names.every((name) => PARAMETERS.includes(name)) || new Set(names).size < names.length) {
    return `the list takes ${PARAMETERS.join(', ')}, each once`;
  }
  const limit = query.get('limit') ?? String(MAX_PAGE);
  if (!/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MAX_PAGE) {
    return `limit must be a whole number from 1 to ${MAX_PAGE}`;
  }
  const cursor = query.get('after');
  const [, time, id] = /^(\d{1,14})\.([\w-]{1,64})$/.exec(cursor ?? '') ?? [];
  if (cursor !== null && (time === undefined || id === undefined)) {
    return 'after must be a cursor from a previous response';
  }
  const since = query.get('since') ?? undefined;
  const isTime =
    since !== undefined && /^\d{4}-\d\d-\d\dT[\d:.]{5,12}(Z|[+-]\d\d:\d\d)$/.test(since);
  const sinceTime = isTime ? new Date(since) : undefined;
  if (since !== undefined && (sinceTime === undefined || Number.isNaN(sinceTime.getTime()))) {
    return 'since must be a time as 2026-11-28T12:00:00Z';
  }
  const kind = ANSWER_KINDS.find((one) => one === query.get('kind'));
  if (query.has('kind') && kind === undefined) {
    return `kind must be one of ${ANSWER_KINDS.join(', ')}`;
  }
  const document = query.get('document');
  return {
    limit: Number(limit),
    document: document === null ? undefined : { id: document, accountId },
    after: id === undefined ? undefined : { at: new Date(Number(time)), id },
    since: sinceTime,
    kind,
    link: query.get('link') ?? undefined,
    project: query.get('project') ?? undefined,
    upload: query.get('upload') ?? undefined,
  };
}

/** The first entries, up to the one with which their answer reaches {@link MAX_PAGE_BYTES}. */
function withinBytes(entries: readonly object[]): readonly object[] {
  let bytes = 0;
  const last = entries.findIndex((entry) => {
    bytes += Buffer.byteLength(JSON.stringify(entry));
    return bytes >= MAX_PAGE_BYTES;
  });
  return last < 0 ? entries : entries.slice(0, last + 1);
}

/** The address of the page that follows `last`. */
function nextPage({ limit }: Page, query: URLSearchParams, { id, at }: Feedback): string {
  const next = new URLSearchParams({ limit: String(limit), after: `${at.getTime()}.${id}` });
  for (const name of FILTERS) {
    const value = query.get(name);
    if (value !== null) {
      next.set(name, value);
    }
  }
  return `${FEEDBACK_API_PATH}?${next.toString()}`;
}

const NOT_FOUND: ApiError = {
  status: 404,
  error: 'not_found',
  description: 'there is no such feedback, or the user may not do this',
};

const NO_COMMENT: ApiError = {
  status: 422,
  error: 'no_comment',
  description: 'only comments can be answered, done or deleted',
};
