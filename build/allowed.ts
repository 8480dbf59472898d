/**
 * What may be in the bundle although no page documents it. Each entry has the reason why it does no harm; keep the list short.
 */

/** An undocumented name that the bundle may use. */
export interface AllowedName {
  readonly name: string;
  /**
   * guarded: the code checks `typeof` first and works without it; the check insists on that `typeof`.
   * unreached: the code that uses it does not run in a UXP host.
   */
  readonly how: 'guarded' | 'unreached';
  readonly reason: string;
}

/** Global names, and constructors as `new Name`. */
export const allowedGlobals: readonly AllowedName[] = [
  {
    name: 'btoa',
    how: 'guarded',
    reason: 'js-base64 (in tus-js-client) has its own way without it',
  },
  {
    name: 'atob',
    how: 'guarded',
    reason: 'js-base64 (in tus-js-client) has its own way without it',
  },
  { name: 'TextEncoder', how: 'guarded', reason: 'js-base64 has its own way without it' },
  { name: 'TextDecoder', how: 'guarded', reason: 'js-base64 has its own way without it' },
  { name: 'Buffer', how: 'guarded', reason: 'js-base64 takes it in Node only' },
  { name: 'self', how: 'guarded', reason: 'url-parse (in tus-js-client) reads window first' },
  { name: 'global', how: 'guarded', reason: 'url-parse (in tus-js-client) reads window first' },
  { name: 'process', how: 'guarded', reason: 'libraries ask whether they run in Node' },
  {
    name: 'indexedDB',
    how: 'unreached',
    reason: 'idb-keyval serves the browser host, which is chosen only where there is no require',
  },
  {
    name: 'new DOMException',
    how: 'unreached',
    reason: 'p-timeout makes one for an aborted signal without a reason; tasks get no such signal',
  },
];

/** Members read from host objects that are not documented: `object.member`. */
export const allowedMembers: readonly AllowedName[] = [
  {
    name: 'navigator.onLine',
    how: 'unreached',
    reason: 'tus-js-client reads it before its own retries, and undefined counts as online',
  },
  { name: 'navigator.product', how: 'unreached', reason: 'tus-js-client looks for React Native' },
];

/** Style properties that have no page of their own, and why they may be used. */
export const allowedProperties: readonly { readonly name: string; readonly reason: string }[] = [
  {
    name: 'position',
    reason: 'absolute and relative stand in the examples of top, right, bottom, left',
  },
  { name: 'border', reason: 'the examples of :focus use the shorthand' },
  { name: 'content', reason: 'needed by ::before and ::after, which have pages' },
  { name: 'fill', reason: 'used on inline svg with currentColor' },
];

/** Events whose listeners are not checked, because what they listen to does not exist in a UXP host. */
export const allowedListeners: readonly { readonly event: string; readonly reason: string }[] = [
  {
    event: 'abort',
    reason:
      'p-queue and p-timeout listen to the signal of a task or of onIdle; tasks are given none',
  },
];
