import { nameSkeleton } from '../accounts/names.js';

const PRODUCT = nameSkeleton('Creative Workspace');

/**
 * The names of the platform's own apps. No other app may have one of them, nor one that looks like it or
 * contains it.
 */
export class OfficialNames {
  private readonly skeletons: readonly string[];

  constructor(names: readonly string[]) {
    this.skeletons = names.map(nameSkeleton);
  }

  /** Whether people could take this name for the product's, or for one of an official app. */
  includes(name: string): boolean {
    const skeleton = nameSkeleton(name);
    return skeleton === PRODUCT || this.skeletons.some((official) => skeleton.includes(official));
  }
}
