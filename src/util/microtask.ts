/**
 * Replaces `queueMicrotask` in libraries of the bundle (through webpack's ProvidePlugin): the host documents no such
 * global.
 */
export default function queueMicrotask(task: () => void): void {
  void Promise.resolve().then(task);
}
