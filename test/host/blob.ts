import { types as nodeTypes } from 'node:util';
import type { Lifetime } from './modules/lifetime.js';
import { arrayBufferOf } from './modules/realm.js';

/** The Blob of the page: the members of its reference page (stream is not simulated). */
export function createBlobClass(
  lifetime: Lifetime,
): new (parts?: unknown[], options?: { type?: string }) => object {
  const { realm } = lifetime;
  return class Blob {
    readonly #bytes: Uint8Array;
    readonly #type: string;

    constructor(parts: unknown[] = [], options: { type?: string } = {}) {
      const pieces = parts.map((part) => {
        if (typeof part === 'string') return Buffer.from(part, 'utf8');
        if (nodeTypes.isArrayBuffer(part)) return Buffer.from(part.slice(0));
        if (ArrayBuffer.isView(part)) {
          return Buffer.from(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength));
        }
        if (part instanceof Blob) return Buffer.from(part.#bytes);
        throw new realm.TypeError('Blob: unsupported part');
      });
      this.#bytes = Buffer.concat(pieces);
      this.#type = options.type ?? '';
    }

    get size(): number {
      return this.#bytes.byteLength;
    }
    get type(): string {
      return this.#type;
    }
    arrayBuffer(): Promise<ArrayBuffer> {
      return lifetime.call(() => arrayBufferOf(realm, this.#bytes));
    }
    text(): Promise<string> {
      return lifetime.call(() => Buffer.from(this.#bytes).toString('utf8'));
    }
    slice(start?: number, end?: number, contentType = ''): Blob {
      const part = this.#bytes.slice(start, end);
      return new Blob([arrayBufferOf(realm, part)], { type: contentType });
    }
  };
}
