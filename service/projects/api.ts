import type { ServerResponse } from 'node:http';
import { boolean, object, optional, string } from 'valibot';
import type { Accounts } from '../accounts/accounts.js';
import { sendEarly } from '../http/early-answers.js';
import { readJson } from '../http/json-body.js';
import { sendError, sendJson } from '../http/responses.js';
import type { WholeRequest } from '../http/whole-request.js';
import type { BearerCheck, Caller } from '../oauth/bearer.js';
import { callerOf } from '../oauth/caller-of.js';
import type { Scope } from '../oauth/scopes.js';
import { inEnglish } from '../pages/speech.js';
import { mayManage, type Project } from './project.js';
import { projectNameProblem, refusalSentence } from './project-entry.js';
import type { ProjectRefusal, ProjectTable } from './project-table.js';

export interface ProjectApiParts {
  readonly bearer: BearerCheck;
  readonly projects: ProjectTable;
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
}

const NEW = object({ name: string() });
const CHANGE = object({ name: optional(string()), archived: optional(boolean()) });

/** Projects for programs: those of the token's workspace, with the rights of the token's person. */
export class ProjectApi {
  constructor(private readonly parts: ProjectApiParts) {}

  /** Answers `GET` and `POST /api/v1/projects`. */
  async all(request: WholeRequest, response: ServerResponse): Promise<void> {
    const isList = request.method !== 'POST';
    const scopes: Scope[] = isList ? ['projects:write', 'workspace:read'] : ['projects:write'];
    const caller = await callerOf(this.parts.bearer, request, response, scopes);
    if (caller === undefined) {
      return;
    }
    if (!isList) {
      await this.create(caller, request, response);
      return;
    }
    const projects = await this.parts.projects.of(caller.workspaceId);
    sendJson(response, 200, { projects: projects.map(projectJson) });
  }

  /** Answers `PATCH /api/v1/projects/{id}`. */
  async one(request: WholeRequest, response: ServerResponse, id: string): Promise<void> {
    const caller = await callerOf(this.parts.bearer, request, response, ['projects:write']);
    if (caller === undefined) {
      return;
    }
    const project = await this.parts.projects.find(id);
    if (project?.workspaceId !== caller.workspaceId) {
      sendError(response, 404, 'not_found', 'there is no such project');
      return;
    }
    const memberships = await this.parts.accounts.workspacesOf(caller.accountId);
    if (!mayManage(project, caller.accountId, memberships)) {
      const description = 'who made a project, and owners of the workspace, may change it';
      sendError(response, 403, 'access_denied', description);
      return;
    }
    await this.change(project, request, response);
  }

  private async create(
    { workspaceId, accountId }: Caller,
    request: WholeRequest,
    response: ServerResponse,
  ): Promise<void> {
    const body = await readJson(request, NEW, '{"name"}');
    if ('refused' in body) {
      sendEarly(response, body.refused);
      return;
    }
    const name = body.value.name.trim();
    if (refuseName(response, name)) {
      return;
    }
    const made = await this.parts.projects.create(workspaceId, name, accountId);
    if (typeof made === 'string') {
      refuseProject(response, made);
    } else {
      await this.tell(response, 201, made.id);
    }
  }

  private async change(
    project: Project,
    request: WholeRequest,
    response: ServerResponse,
  ): Promise<void> {
    const body = await readJson(request, CHANGE, '{"name", "archived"}, either or both');
    if ('refused' in body) {
      sendEarly(response, body.refused);
      return;
    }
    const { archived: isArchived } = body.value;
    const name = body.value.name?.trim();
    if (name !== undefined && refuseName(response, name)) {
      return;
    }
    const outcome = await this.parts.projects.change(project, { name, isArchived });
    if (outcome === 'taken') {
      refuseProject(response, outcome);
    } else {
      await this.tell(response, 200, project.id);
    }
  }

  private async tell(response: ServerResponse, status: number, id: string): Promise<void> {
    const project = await this.parts.projects.find(id);
    if (project === undefined) {
      sendError(response, 404, 'not_found', 'there is no such project');
    } else {
      sendJson(response, status, projectJson(project));
    }
  }
}

function refuseName(response: ServerResponse, name: string): boolean {
  const problem = projectNameProblem(name);
  if (problem !== undefined) {
    sendError(response, 400, 'invalid_request', inEnglish(problem));
  }
  return problem !== undefined;
}

function refuseProject(response: ServerResponse, why: ProjectRefusal): void {
  const error = why === 'taken' ? 'name_taken' : 'too_many_projects';
  sendError(response, 409, error, inEnglish(refusalSentence(why)));
}

function projectJson({ id, name, archivedAt, createdAt }: Project): Record<string, unknown> {
  return { id, name, archived: archivedAt !== undefined, created: createdAt.toISOString() };
}
