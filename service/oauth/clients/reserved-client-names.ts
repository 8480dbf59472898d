import { confusableSkeleton } from '../../identity/index.js';

/** The names of the service and of the apps that the plugin runs in. */
const PROTECTED_BEGINNINGS = [
  'Creative Workspace',
  'Photoshop',
  'Adobe Photoshop',
  'InDesign',
  'Adobe InDesign',
  'Premiere',
  'Adobe Premiere',
].map(confusableSkeleton);

/**
 * The names of the platform's own apps. No other app may have one of them, nor one that looks like it or
 * contains it. Nor may its name begin with that of the service or of a host app, or look as if it did.
 */
export class ReservedClientNames {
  private readonly skeletons: readonly string[];

  constructor(names: readonly string[]) {
    this.skeletons = names.map(confusableSkeleton);
  }

  /** Whether users could mistake an app of this name for one of the service, or for a host app. */
  includes(name: string): boolean {
    const skeleton = confusableSkeleton(name);
    return (
      PROTECTED_BEGINNINGS.some((beginning) => skeleton.startsWith(beginning)) ||
      this.skeletons.some((official) => skeleton.includes(official))
    );
  }
}
