interface Node<K> {
  readonly key: K;
  before: Node<K> | null;
  after: Node<K> | null;
}

/**
 * Distinct keys in the order that the caller gives them. Every change costs the same at any length, unlike taking an
 * element out of the middle of an array.
 */
export class LinkedSet<K> implements Iterable<K> {
  private readonly nodes = new Map<K, Node<K>>();
  private head: Node<K> | null = null;
  private tail: Node<K> | null = null;

  get size(): number {
    return this.nodes.size;
  }

  has(key: K): boolean {
    return this.nodes.has(key);
  }

  /** The first key; null when there is none. */
  get first(): K | null {
    return this.head ? this.head.key : null;
  }

  /** Puts `key` before `successor`, or at the end when that is null or absent. A key that is already there moves. */
  insert(key: K, successor: K | null = null): void {
    if (key === successor) {
      return;
    }
    this.delete(key);
    const after = successor === null ? null : (this.nodes.get(successor) ?? null);
    const before = after ? after.before : this.tail;
    const node: Node<K> = { key, before, after };
    if (before) {
      before.after = node;
    } else {
      this.head = node;
    }
    if (after) {
      after.before = node;
    } else {
      this.tail = node;
    }
    this.nodes.set(key, node);
  }

  /** Takes `key` out, if it is there. */
  delete(key: K): void {
    const node = this.nodes.get(key);
    if (!node) {
      return;
    }
    this.nodes.delete(key);
    if (node.before) {
      node.before.after = node.after;
    } else {
      this.head = node.after;
    }
    if (node.after) {
      node.after.before = node.before;
    } else {
      this.tail = node.before;
    }
  }

  /** The keys in their order. The set must not change during the iteration. */
  *[Symbol.iterator](): Iterator<K> {
    for (let node = this.head; node; node = node.after) {
      yield node.key;
    }
  }
}
