import { description, nullable, object, pipe, string } from 'valibot';
import { invalid, sendApiError, type ApiError } from '../../../kernel/http/api-error.js';
import { parseJson } from '../../../kernel/http/request/json-body.js';
import type { BufferedContext } from '../../../kernel/http/request/request-context.js';
import { sendJson, sendStatus } from '../../../kernel/http/responses.js';
import type { Principal } from '../../../oauth/index.js';
import type { PlacementTable, UsedFile } from '../../placements/index.js';
import type { ProjectTable } from '../../projects/index.js';
import { notFound } from '../../uploads/index.js';
import { trashBegins, type Photo } from '../data/photo.js';
import type { PhotoTable } from '../data/photo-table.js';
import { presentUpload, type UploadApiRepository } from './upload-api-repository.js';

export interface ChangeApiDeps {
  readonly photos: PhotoTable;
  readonly projects: ProjectTable;
  readonly placements: Pick<PlacementTable, 'used'>;
  readonly shown: UploadApiRepository;
  readonly now: () => Date;
}

/** How many files a refusal names. */
const MAX_USED = 20;

const FIRST_VERSION: ApiError = {
  status: 409,
  error: 'first_version',
  description: 'the first version stays; detach the later ones',
};

/** The body of `POST /api/v1/uploads/{id}/project`. */
export const PROJECT = object({
  project: pipe(
    nullable(string()),
    description('The id of a project that is not archived, or null for no project'),
  ),
});

/** Lets API clients change the finished uploads of the token's user, from any app. */
export class ChangeApi {
  constructor(private readonly deps: ChangeApiDeps) {}

  /** Answers `POST /api/v1/uploads/{id}/trash`; an upload that is in the trash already stays as it is. */
  async trash(context: BufferedContext, caller: Principal): Promise<void> {
    const { response, query } = context;
    if ((await this.find(context, caller)) === undefined) {
      return;
    }
    const isConfirmed = query.get('used') === 'true';
    const used = isConfirmed ? [] : await this.usedBy(context, caller);
    if (used.length > 0) {
      const description =
        'the file is used in others; send used=true to move it to the trash anyway';
      sendJson(response, 409, {
        ...{ error: 'in_use', error_description: description },
        used_in: used.map(({ container }) => container),
      });
    } else {
      await this.deps.photos.trash(context.id, caller.accountId, this.deps.now());
      sendStatus(context.response, 204);
    }
  }

  /** Answers `POST /api/v1/uploads/{id}/restore`. */
  async restore(context: BufferedContext, caller: Principal): Promise<void> {
    const { response, id } = context;
    if ((await this.find(context, caller)) === undefined) {
      return;
    }
    if (await this.deps.photos.restore(id, trashBegins(this.deps.now()))) {
      sendStatus(response, 204);
    } else {
      sendApiError(response, notFound());
    }
  }

  /** Answers `POST /api/v1/uploads/{id}/detach`: makes a version that the same app has sent a photo of its own. */
  async detach(context: BufferedContext, caller: Principal): Promise<void> {
    const { response, id } = context;
    const photo = await this.find(context, caller);
    if (photo === undefined) {
      return;
    }
    const isOfApp = photo.clientId === caller.clientId;
    const outcome = isOfApp ? await this.deps.photos.detach(id) : 'gone';
    if (outcome === 'detached') {
      sendStatus(response, 204);
    } else {
      sendApiError(response, outcome === 'first' ? FIRST_VERSION : notFound());
    }
  }

  /** Answers `POST /api/v1/uploads/{id}/project`: moves an upload into a project, or out of its project. */
  async move(context: BufferedContext, caller: Principal): Promise<void> {
    const { response, id } = context;
    const photo = await this.find(context, caller);
    if (photo === undefined) {
      return;
    }
    const shape = '{"project": the id of a project, or null}';
    const body = parseJson(context.request, context.body, PROJECT, shape);
    if ('refused' in body) {
      sendApiError(response, body.refused);
      return;
    }
    const moved = await this.deps.projects.move(photo.workspaceId, [id], body.value.project ?? '');
    // With the purpose 'content' it is found even if another app sent it, whatever scopes the token has.
    const upload = await this.deps.shown.one(caller, id, 'content');
    if (moved.length > 0 && upload !== undefined) {
      sendJson(response, 200, presentUpload(upload));
    } else if (photo.trashedAt !== undefined) {
      sendApiError(response, notFound());
    } else {
      sendApiError(response, invalid('the project does not exist or is archived'));
    }
  }

  /** The files that use an upload of the user, as far as the program sees them. */
  private async usedBy({ id }: BufferedContext, caller: Principal): Promise<UsedFile[]> {
    const view = await this.deps.shown.reachOf(caller, 'content');
    return this.deps.placements.used(view, [id], MAX_USED);
  }

  /**
   * The upload, in the trash or not, if it is the user's own in the workspace of the token; undefined when the
   * refusal has been sent.
   */
  private async find(
    { response, id }: BufferedContext,
    caller: Principal,
  ): Promise<Photo | undefined> {
    const photo = await this.deps.photos.find(id);
    const isTheirs =
      photo?.accountId === caller.accountId && photo.workspaceId === caller.workspaceId;
    if (photo === undefined || !isTheirs) {
      sendApiError(response, notFound());
      return undefined;
    }
    return photo;
  }
}
