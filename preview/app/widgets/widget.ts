/** By property name, the attribute that holds the property of a widget, and its type. */
export type Reflected = Readonly<
  Record<string, { readonly attribute: string; readonly type: 'string' | 'number' | 'boolean' }>
>;

/** Styles that every widget has. */
const BASE = `
  :host { box-sizing: border-box; font-family: var(--font); color: var(--uxp-host-text-color); }
  :host([hidden]) { display: none !important; }
  *, *::before, *::after { box-sizing: border-box; font-family: inherit; }
  :focus { outline: none; }
  :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
`;

/** The style sheet of each kind of widget, parsed once: all widgets of a kind share it. */
const sheets = new Map<string, CSSStyleSheet>();

function sheetOf(css: string): CSSStyleSheet {
  let sheet = sheets.get(css);
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(BASE + css);
    sheets.set(css, sheet);
  }
  return sheet;
}

/**
 * The base of the simulated Spectrum UXP widgets: a shadow tree of our own, styled by `css`, with properties that
 * mirror attributes. As in the real host, the page's style sheet applies only to the widget's own element.
 */
export abstract class Widget extends HTMLElement {
  protected readonly root: ShadowRoot;

  /** @param focus whether the focus goes to the widget's own element, or to the first control in its shadow tree. */
  constructor(css: string, html: string, focus: 'host' | 'control' = 'control') {
    super();
    this.root = this.attachShadow({ mode: 'open', delegatesFocus: focus === 'control' });
    this.root.adoptedStyleSheets = [sheetOf(css)];
    this.root.innerHTML = html; // constant text of our own, never data
  }

  connectedCallback(): void {
    adoptEarlyProperties(this);
    this.update();
  }

  attributeChangedCallback(): void {
    if (this.isConnected) {
      this.update();
    }
  }

  /** Brings the shadow tree in line with the attributes. */
  protected update(): void {
    // Nothing to do for widgets that are only styled by attribute selectors.
  }

  /** The element of the shadow tree with this id. */
  protected inner<T extends HTMLElement>(id: string, type: new () => T): T {
    const element = this.root.getElementById(id);
    if (!(element instanceof type)) {
      throw new TypeError(`${this.localName} has no inner #${id}.`);
    }
    return element;
  }

  /** Tells the page about a change of the inner control, because its `change` event does not leave the shadow tree. */
  protected announce(type: 'change' | 'input'): void {
    this.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
  }
}

/** Properties that were set before the element was defined hide its accessors: passes their values to the accessors. */
function adoptEarlyProperties(element: HTMLElement): void {
  for (const name of Object.keys(element)) {
    if (!Reflect.has(Object.getPrototypeOf(element) as object, name)) {
      continue;
    }
    const value: unknown = Reflect.get(element, name);
    Reflect.deleteProperty(element, name);
    Reflect.set(element, name, value);
  }
}

/** Defines a widget, with accessors that store each listed property in its attribute. */
export function defineWidget(
  name: string,
  type: CustomElementConstructor,
  reflected: Reflected = {},
): void {
  for (const [property, { attribute, type: kind }] of Object.entries(reflected)) {
    Object.defineProperty(type.prototype, property, {
      configurable: true,
      enumerable: true,
      get(this: HTMLElement) {
        if (kind === 'boolean') {
          return this.hasAttribute(attribute);
        }
        const text = this.getAttribute(attribute) ?? '';
        return kind === 'number' ? Number(text) : text;
      },
      set(this: HTMLElement, value: unknown) {
        if (kind === 'boolean') {
          this.toggleAttribute(attribute, Boolean(value));
        } else if (value === null || value === undefined) {
          this.removeAttribute(attribute);
        } else {
          this.setAttribute(attribute, `${value as string | number}`);
        }
      },
    });
  }
  customElements.define(name, type);
}
