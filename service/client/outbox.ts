/** The most comments that a browser keeps for a link. */
const MAX_KEPT = 50;

/** The comments of a guest that the service has not answered yet. The browser keeps them when the page is left. */
export class Outbox {
  private readonly key: string;

  /** @param address where they are sent to */
  constructor(private readonly address: string) {
    this.key = `comments for ${address}`;
  }

  all(): { readonly address: string; readonly fields: URLSearchParams }[] {
    return this.read().map((text) => ({
      address: this.address,
      fields: new URLSearchParams(text),
    }));
  }

  keep(fields: URLSearchParams): void {
    this.write([...this.read(), fields.toString()].slice(-MAX_KEPT));
  }

  /** @param attempt the value of this field */
  remove(attempt: string): void {
    const others = this.read().filter(
      (text) => new URLSearchParams(text).get('attempt') !== attempt,
    );
    this.write(others);
  }

  private read(): string[] {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.key) ?? '[]');
      return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
    } catch {
      // The browser keeps nothing.
      return [];
    }
  }

  private write(kept: readonly string[]): void {
    try {
      if (kept.length === 0) {
        localStorage.removeItem(this.key);
      } else {
        localStorage.setItem(this.key, JSON.stringify(kept));
      }
    } catch {
      // The page still has them.
    }
  }
}
