import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { ProjectRef } from '../destinations/project.js';
import type { ServiceAccess } from '../service-access.js';

/** What a link shows: a project, or up to 1,000 uploads by their ids at the service. */
export type ShareTarget = { readonly project: string } | { readonly uploads: readonly string[] };

export interface ShareOptions {
  /** Days until the link expires. */
  readonly days: number;
  readonly password?: string;
}

/** A link that shows photos to everyone who has its address. */
export interface ShareLink {
  readonly id: string;
  /** On the service's own origin. */
  readonly url: string;
  /** Wall-clock times in milliseconds. */
  readonly expires: number;
  readonly created: number;
  readonly hasPassword: boolean;
  readonly name: string;
  /** How many photos it shows. */
  readonly photos: number;
  readonly project: ProjectRef | null;
}

/** The user's links at the service. */
export class ShareLinks {
  private readonly store = new Observable<ServiceAccess>('unknown');

  readonly access: ReadableObservable<ServiceAccess> = this.store;

  /** @throws {CwError} CW-203 without permission, CW-603 refused, or a transient error */
  create(_target: ShareTarget, _options: ShareOptions): Promise<ShareLink> {
    return Promise.reject(new Error('not built yet'));
  }

  /** The user's own links to this, the newest first; all without a target. */
  list(_target: ShareTarget | null = null): Promise<readonly ShareLink[]> {
    return Promise.resolve([]);
  }

  /** Ends a link. A link that is gone is no error. */
  revoke(_id: string): Promise<void> {
    return Promise.resolve();
  }
}
