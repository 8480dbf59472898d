/** Photos that are added together. */
export interface Batch {
  readonly paths: readonly string[];
  /** Name of the project that is chosen before; null for none, undefined where the service has no projects. */
  readonly project?: string | null;
}

/** Messages from the test to the process that runs the plugin. */
export type ToPlugin =
  | { readonly kind: 'open'; readonly dist: string; readonly storageDir: string }
  /** Adds photos with the panel's button and the host's picker. */
  | { readonly kind: 'add'; readonly batches: readonly Batch[] }
  /** Changes the project of the last waiting photo that has one of these names. */
  | { readonly kind: 'move'; readonly names: readonly string[]; readonly project: string };

/** Messages from the process that runs the plugin to the test. */
export type FromPlugin =
  /** The simulated host is loaded; the plugin is not opened yet. */
  | { readonly kind: 'ready' }
  /** The panel shows that the plugin is connected. */
  | { readonly kind: 'connected' }
  /** The panel shows a code. */
  | { readonly kind: 'code'; readonly userCode: string }
  /** The picker was answered for every batch. */
  | { readonly kind: 'picked' }
  /** Another project is about to be chosen for a waiting photo. */
  | { readonly kind: 'moved'; readonly name: string; readonly project: string }
  /** The user has answered that photos replace earlier versions. */
  | { readonly kind: 'replaced' }
  /** An uncaught error, or one that the plugin has logged. */
  | { readonly kind: 'error'; readonly text: string };
