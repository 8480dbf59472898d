/** Markup that is safe to send: made by {@link html}, which escapes all text put into it. */
export class Html {
  private constructor(private readonly html: string) {}

  /** Wraps markup that is a constant of this program. Never call it with anything from outside. */
  static raw(markup: string): Html {
    return new Html(markup);
  }

  toString(): string {
    return this.html;
  }
}

type Piece = string | Html | readonly (Html | undefined)[] | undefined;

/**
 * Template tag for markup. Text is escaped for element content and quoted attributes alike. Nothing stands between the
 * pieces of an array, not even white space.
 */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  return Html.raw(strings.map((text, index) => text + render(pieces[index])).join(''));
}

/**
 * A text that is no language: a name, a code, an address. Its writing direction does not reach the text around it, and
 * page translation of browsers leaves it as it is.
 */
export function verbatim(text: string): Html {
  return html`<bdi translate="no">${text}</bdi>`;
}

function render(piece: Piece): string {
  if (piece === undefined) {
    return '';
  }
  if (typeof piece === 'string') {
    return escapeText(piece);
  }
  return piece instanceof Html ? piece.toString() : piece.map((one) => one ?? '').join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
