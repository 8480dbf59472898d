/** Styles that every widget has. */
const BASE = `
  :host { box-sizing: border-box; font-family: var(--font); color: var(--uxp-host-text-color); }
  *, *::before, *::after { box-sizing: border-box; font-family: inherit; }
  :focus { outline: none; }
  :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
`;

/** A style sheet for one kind of widget. All widgets of the kind share it. */
export function widgetSheet(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(BASE + css);
  return sheet;
}

/**
 * The base of the widgets: an element with a shadow tree.
 * As in the real host, the page's style sheet applies only to the widget's own element.
 */
export abstract class Widget extends HTMLElement {
  readonly #root: ShadowRoot;

  /** @param html markup of the shadow tree. It is a constant, never data. */
  constructor(sheet: CSSStyleSheet, html: string) {
    super();
    this.#root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    this.#root.adoptedStyleSheets = [sheet];
    this.#root.innerHTML = html;
  }

  connectedCallback(): void {
    this.update();
  }

  attributeChangedCallback(): void {
    this.update();
  }

  /** Applies the attributes to the shadow tree. */
  protected abstract update(): void;

  /**
   * The element of the shadow tree with this id.
   *
   * @throws {TypeError} when there is none of this type.
   */
  protected inner<T extends HTMLElement>(id: string, type: new () => T): T {
    const element = this.#root.getElementById(id);
    if (!(element instanceof type)) {
      throw new TypeError(`${this.localName} has no inner #${id}.`);
    }
    return element;
  }
}
