/**
 * An action of a plugin that a host would silently ignore or change: an ignored listener option, a dropped header, an
 * element drawn as a div, a missing permission. A test can require that there are none.
 */
export interface Finding {
  readonly kind:
    | 'attribute'
    | 'clipboard'
    | 'documented but not simulated'
    | 'element'
    | 'entrypoint'
    | 'imaging'
    | 'listener'
    | 'network'
    | 'page'
    | 'repeated click';
  readonly text: string;
}

/** Collects findings; the same one is kept once. */
export class Findings {
  readonly #list: Finding[] = [];

  add(kind: Finding['kind'], text: string): void {
    if (!this.#list.some((finding) => finding.kind === kind && finding.text === text)) {
      this.#list.push({ kind, text });
    }
  }

  get all(): readonly Finding[] {
    return this.#list;
  }
}
