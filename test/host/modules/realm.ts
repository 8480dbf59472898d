/**
 * The JavaScript realm the plugin's code runs in.
 *
 * The simulated modules run in the test's own realm, the plugin perhaps in another (`node:vm`). What the plugin gets must
 * be of the plugin's realm, or its `instanceof Error` would be false here and true in the host.
 */
export interface Realm {
  readonly Error: ErrorConstructor;
  readonly TypeError: TypeErrorConstructor;
  readonly Promise: PromiseConstructor;
  readonly ArrayBuffer: ArrayBufferConstructor;
  readonly Uint8Array: Uint8ArrayConstructor;
  readonly Date: DateConstructor;
}

/** The realm of the caller: for unit tests without a vm. */
export const callerRealm: Realm = { Error, TypeError, Promise, ArrayBuffer, Uint8Array, Date };

/** Bytes as an ArrayBuffer of the plugin's realm; always a copy. */
export function arrayBufferOf(realm: Realm, bytes: Uint8Array): ArrayBuffer {
  const buffer = new realm.ArrayBuffer(bytes.byteLength);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}
