import type { ServerResponse } from 'node:http';
import { boolean, description, object, optional, pipe, string } from 'valibot';
import { visibilityOf, type Accounts, type Visibility } from '../../identity/index.js';
import { sendApiError } from '../../kernel/http/api-error.js';
import { permit } from '../../kernel/http/permission.js';
import { parseJson } from '../../kernel/http/request/json-body.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendError, sendJson } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { tokenPermission, type BearerCheck, type Principal } from '../../oauth/index.js';
import { formatEnglish } from '../../kernel/i18n/translator.js';
import { PROJECTS_API_PATH } from '../../site/addresses/project-paths.js';
import { mayManage, type Project, type ProjectSummary } from './project.js';
import { projectNameProblem, refusalSentence } from './project-form.js';
import type { ProjectRefusal, ProjectTable } from './project-table.js';

export interface ProjectApiDeps {
  readonly bearer: BearerCheck;
  readonly projects: ProjectTable;
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
}

const NAME = pipe(string(), description('Up to 80 characters, without the white space around it'));
const NEW = object({ name: NAME });
const CHANGE = object({ name: optional(NAME), archived: optional(boolean()) });

/** The project API: the projects of the token's workspace, with the rights of the token's user. */
export function projectApiRoutes(deps: ProjectApiDeps): Route[] {
  const api = new ProjectApi(deps);
  const reading = tokenPermission(deps.bearer, ['projects:write', 'workspace:read']);
  const writing = tokenPermission(deps.bearer, ['projects:write']);
  return [
    {
      path: PROJECTS_API_PATH,
      kind: 'api',
      bodies: { POST: NEW },
      handlers: {
        ...permit(reading, { GET: ({ response }, caller) => api.list(response, caller) }),
        ...permit(writing, { POST: (context, caller) => api.create(context, caller) }),
      },
    },
    {
      path: `${PROJECTS_API_PATH}/:id`,
      kind: 'api',
      bodies: { PATCH: CHANGE },
      handlers: permit(writing, { PATCH: (context, caller) => api.change(context, caller) }),
    },
  ];
}

class ProjectApi {
  constructor(private readonly deps: ProjectApiDeps) {}

  /** Answers `GET /api/v1/projects`. */
  async list(response: ServerResponse, caller: Principal): Promise<void> {
    const view = await this.viewOf(caller);
    const projects = view === undefined ? [] : await this.deps.projects.summaries(view);
    sendJson(response, 200, { projects: projects.map(projectJson) });
  }

  /** Answers `PATCH /api/v1/projects/{id}`. */
  async change(context: BufferedContext, caller: Principal): Promise<void> {
    const { response, id } = context;
    const project = await this.deps.projects.find(id);
    if (project?.workspaceId !== caller.workspaceId) {
      sendError(response, 404, 'not_found', 'the project does not exist');
      return;
    }
    const memberships = await this.deps.accounts.workspacesOf(caller.accountId);
    if (!mayManage(project, caller.accountId, memberships)) {
      const description = 'only its creator and workspace owners may change a project';
      sendError(response, 403, 'access_denied', description);
      return;
    }
    await this.applyChange(caller, project, context);
  }

  /** Answers `POST /api/v1/projects`. */
  async create(
    { request, response, body: sent }: BufferedContext,
    caller: Principal,
  ): Promise<void> {
    const body = parseJson(request, sent, NEW, '{"name"}');
    if ('refused' in body) {
      sendApiError(response, body.refused);
      return;
    }
    const name = body.value.name.trim();
    if (refuseName(response, name)) {
      return;
    }
    const { workspaceId, accountId } = caller;
    const made = await this.deps.projects.create(workspaceId, name, accountId);
    if (typeof made === 'string') {
      refuseProject(response, made);
    } else {
      await this.present(caller, response, 201, made.id);
    }
  }

  private async applyChange(
    caller: Principal,
    project: Project,
    { request, response, body: sent }: BufferedContext,
  ): Promise<void> {
    const body = parseJson(request, sent, CHANGE, '{"name", "archived"}, either or both');
    if ('refused' in body) {
      sendApiError(response, body.refused);
      return;
    }
    const { archived: isArchived } = body.value;
    const name = body.value.name?.trim();
    if (name !== undefined && refuseName(response, name)) {
      return;
    }
    const outcome = await this.deps.projects.change(project, { name, isArchived });
    if (outcome === 'taken') {
      refuseProject(response, outcome);
    } else {
      await this.present(caller, response, 200, project.id);
    }
  }

  /** The user's view of the token's workspace; undefined when they have just left it. */
  private async viewOf({ accountId, workspaceId }: Principal): Promise<Visibility | undefined> {
    const memberships = await this.deps.accounts.workspacesOf(accountId);
    const workspace = memberships.find(({ id }) => id === workspaceId);
    return workspace && visibilityOf(workspace, accountId);
  }

  private async present(
    caller: Principal,
    response: ServerResponse,
    status: number,
    id: string,
  ): Promise<void> {
    const view = await this.viewOf(caller);
    const project = view && (await this.deps.projects.summary(view, id));
    if (project === undefined) {
      sendError(response, 404, 'not_found', 'the project does not exist');
    } else {
      sendJson(response, status, projectJson(project));
    }
  }
}

function refuseName(response: ServerResponse, name: string): boolean {
  const problem = projectNameProblem(name);
  if (problem !== undefined) {
    sendError(response, 400, 'invalid_request', formatEnglish(problem));
  }
  return problem !== undefined;
}

function refuseProject(response: ServerResponse, why: ProjectRefusal): void {
  const error = why === 'taken' ? 'name_taken' : 'too_many_projects';
  sendError(response, 409, error, formatEnglish(refusalSentence(why)));
}

function projectJson(project: ProjectSummary): Record<string, unknown> {
  return {
    id: project.id,
    name: project.name,
    archived: project.archivedAt !== undefined,
    created: project.createdAt.toISOString(),
    updated: project.updatedAt.toISOString(),
    photos: project.photos,
  };
}
