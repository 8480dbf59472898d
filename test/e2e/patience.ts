/** How long a browser may take for what it is waited for, in milliseconds: far more than anything takes on a busy machine. */
export const PATIENCE_MS = 120_000;
