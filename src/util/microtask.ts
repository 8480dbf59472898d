/**
 * Stands in for `queueMicrotask` in libraries of the bundle (webpack's ProvidePlugin puts it there):
 * the host documents no such global.
 */
export default function queueMicrotask(task: () => void): void {
  void Promise.resolve().then(task);
}
