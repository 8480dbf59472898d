import { LINK_EVENTS } from './events.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { canView, type Membership, type Audit } from '../../identity/index.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { Photo, PhotoTable, ProjectTable } from '../../library/index.js';
import {
  DEFAULT_OFFER,
  MAX_SHARE_PHOTOS,
  SHARE_DAYS,
  SHARE_PASSWORD_LENGTH,
  downloadsOf,
  linkForLog,
  type NewShareTarget,
  type SharingUser,
} from './share.js';
import type { SharePasswords } from './share-passwords.js';
import type { ShareTable } from './share-table.js';

export interface ShareCreationDeps {
  readonly photos: Pick<PhotoTable, 'findCurrent' | 'several' | 'listed'>;
  readonly projects: Pick<ProjectTable, 'find'>;
  readonly shares: ShareTable;
  readonly passwords: SharePasswords;
  readonly audit: Audit;
}

/** The user who shares, with the workspaces in which they may. */
export interface Sharer {
  readonly accountId: string;
  readonly memberships: readonly Membership[];
}

/** The target of a new link, and its workspace. */
export interface Shareable {
  readonly target: NewShareTarget;
  /** The name of the project, or of the first photo. */
  readonly name: string;
  readonly workspace: Membership;
}

export interface ShareEntry {
  /** One of {@link SHARE_DAYS}. */
  readonly days: number;
  /** Empty for none. */
  readonly password: string;
  readonly watermark: boolean;
}

/** Makes links, for pages and programs. Users may share the photos they see. */
export class ShareCreation {
  constructor(private readonly deps: ShareCreationDeps) {}

  /**
   * The photos with these versions; undefined unless all are in one workspace, the user sees each, and none is in the
   * trash.
   */
  async photos(ids: readonly string[], sharer: Sharer): Promise<Shareable | undefined> {
    const distinct = [...new Set(ids)];
    if (distinct.length > MAX_SHARE_PHOTOS || !distinct.every((id) => /^[\w-]{1,64}$/.test(id))) {
      return undefined;
    }
    const photos = await this.find(distinct);
    const [first] = photos;
    const workspace = sharer.memberships.find(({ id }) => id === first?.workspaceId);
    const areSeen = photos.every(
      (photo) =>
        photo.workspaceId === workspace?.id &&
        photo.trashedAt === undefined &&
        canView(photo, sharer.accountId, sharer.memberships),
    );
    if (first === undefined || workspace === undefined || photos.length < distinct.length) {
      return undefined;
    }
    const photoIds = new Set(photos.map(({ photoId }) => photoId));
    const target = { kind: 'photos', ids: [...photoIds] } as const;
    return areSeen ? { target, name: first.name, workspace } : undefined;
  }

  /** One photo is looked up in its current version, which has the name that is shown. */
  private async find(ids: readonly string[]): Promise<readonly Photo[]> {
    const [id, ...others] = ids;
    if (id === undefined || others.length > 0) {
      return this.deps.photos.several(ids);
    }
    const photo = await this.deps.photos.findCurrent(id);
    return photo === undefined ? [] : [photo];
  }

  /** This project; undefined unless it is in a workspace of the user and not archived. */
  async project(id: string, { memberships }: Sharer): Promise<Shareable | undefined> {
    const project = await this.deps.projects.find(id);
    const workspace = memberships.find((one) => one.id === project?.workspaceId);
    if (project === undefined || workspace === undefined || project.archivedAt !== undefined) {
      return undefined;
    }
    return { target: { kind: 'project', id: project.id }, name: project.name, workspace };
  }

  /**
   * Makes a link. The entry must have no {@link entryProblem}.
   * @returns its id and token; `busy` when too many passwords are being hashed; see also {@link ShareTable.create}.
   */
  async create(
    { target, workspace }: Shareable,
    { days, password, watermark }: ShareEntry,
    by: SharingUser,
    exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
  ): Promise<{ readonly id: string; readonly token: string } | 'busy' | 'full' | 'no member'> {
    const { passwords, shares, audit } = this.deps;
    const hasPassword = password !== '';
    const passwordHash = hasPassword ? await passwords.hash(password, exchange.request) : undefined;
    if (hasPassword && passwordHash === undefined) {
      return 'busy';
    }
    const downloads = downloadsOf({ ...DEFAULT_OFFER, watermark });
    const offer = { ...DEFAULT_OFFER, watermark, downloads };
    const { accountId, grantId } = by;
    const where = { workspaceId: workspace.id, creatorId: accountId };
    const share = { ...where, target, days, passwordHash, offer };
    return shares.create(share, (transaction, shareId) => {
      const chosen = target.kind === 'photos' ? target.ids : [];
      const id = target.kind === 'photos' ? (target.ids[0] ?? '') : target.id;
      const noted = { kind: target.kind, id, chosen: chosen.length };
      const line = linkForLog({ id: shareId, workspaceId: workspace.id, target: noted });
      const about = { by: accountId, grantId, ...line };
      return audit(exchange.response, LINK_EVENTS.created, about, transaction);
    });
  }
}

/** Why an entry is refused, in one sentence; undefined if it is valid. */
export function entryProblem({ days, password }: ShareEntry): Message | undefined {
  const offered: readonly number[] = SHARE_DAYS;
  if (!offered.includes(days)) {
    return message('chooseShareTime');
  }
  const { min, max } = SHARE_PASSWORD_LENGTH;
  const isBad = password !== '' && (password.length < min || password.length > max);
  return isBad ? message('sharePasswordLength', { min, max }) : undefined;
}
