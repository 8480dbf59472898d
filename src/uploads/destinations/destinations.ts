import type { CwError } from '../../util/errors.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import type { ServiceAccess } from '../service-access.js';
import type { Project, ProjectRef } from './project.js';

/** Where new photos go, and where they could go. */
export interface DestinationState {
  readonly availability: ServiceAccess;
  /** The projects of the workspace, those used last first. Without archived ones. */
  readonly projects: readonly Project[];
  /** The project for new photos; null for none. */
  readonly selected: ProjectRef | null;
  readonly isLoading: boolean;
  /** Why the projects could not be loaded the last time, if they could not. */
  readonly error: CwError | null;
}

/** The project that new photos go to. The choice is remembered for each document, and else for the account. */
export class Destinations {
  private readonly store = new Observable<DestinationState>({
    availability: 'unknown',
    projects: [],
    selected: null,
    isLoading: false,
    error: null,
  });

  readonly state: ReadableObservable<DestinationState> = this.store;

  /** Loads the projects. Never fails: `state.error` has the reason. */
  load(): Promise<void> {
    return Promise.resolve();
  }

  /** Chooses the project for new photos. */
  select(project: ProjectRef | null): Promise<void> {
    this.store.set({ ...this.store.get(), selected: project });
    return Promise.resolve();
  }

  /**
   * Creates a project and selects it. If the name is taken, selects the project that has it.
   * @throws {CwError} CW-203 without permission; CW-603 when the service refuses the name
   */
  create(_name: string): Promise<void> {
    return Promise.resolve();
  }
}
