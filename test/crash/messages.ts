/** Messages from the test to the process that runs the plugin. */
export type ToPlugin =
  | { readonly kind: 'open'; readonly dist: string; readonly storageDir: string }
  /** Adds photos with the panel's button and the host's picker. */
  | { readonly kind: 'add'; readonly paths: readonly string[] };

/** Messages from the process that runs the plugin to the test. */
export type FromPlugin =
  /** The simulated host is loaded; the plugin is not opened yet. */
  | { readonly kind: 'ready' }
  /** The panel shows that the plugin is connected. */
  | { readonly kind: 'connected' }
  /** The panel shows a code. */
  | { readonly kind: 'code'; readonly userCode: string }
  /** The picker was answered. */
  | { readonly kind: 'picked' }
  /** An uncaught error, or one that the plugin has logged. */
  | { readonly kind: 'error'; readonly text: string };
