import type { Page } from './page.js';

/** Elements a user can press. */
const pressable =
  'button, sp-button, sp-action-button, sp-link, a, sp-checkbox, sp-radio, sp-menu-item, input, [tabindex="0"]';
/** Inline elements. */
const inline = new Set(['a', 'sp-link', 'sp-icon', 'br', 'sp-label', 'label']);
/** Elements that browsers hide by default, besides those with `hidden`. */
const hiddenByNature =
  /^(area|base|basefont|datalist|details|dialog|head|input|link|meta|noembed|noframes|noscript|param|rp|script|style|summary|template|title)$/;

/** The properties that decide whether an element is visible. */
interface Sight {
  display: string;
  visibility: string;
}

interface SightRule {
  readonly selector: string;
  readonly style: Readonly<Sight>;
}

/** A user of the panel: visible text and actions. */
export class SimulatedUser {
  readonly #styleOf: (element: Element) => CSSStyleDeclaration;
  /** The root, as of this look. */
  #top: Element | undefined;
  /** The visibility rules of the style sheets, cached for one read. */
  #rules: readonly SightRule[] = [];
  /** Which elements rules hide, unless others show them, as of this look. */
  #hidden: ReadonlySet<Element> = new Set();
  /** The visibility of elements, cached for one read. */
  readonly #isKnownHidden = new Map<Element, boolean>();

  constructor(
    private readonly page: Page,
    private readonly root: () => Element,
  ) {
    this.#styleOf = page.window.getComputedStyle.bind(page.window);
  }

  /** The visible text of the panel (or of an element), one line per block. */
  text(element: Element = this.root()): string {
    const lines: string[] = [''];
    const add = (text: string): void => {
      lines[lines.length - 1] = `${lines[lines.length - 1] ?? ''}${text}`;
    };
    const walk = (node: Node): void => {
      if (node.nodeType === 3) add((node.textContent ?? '').replace(/\s+/g, ' '));
      if (node.nodeType !== 1) return;
      const at = node as Element;
      if (this.#isHidden(at)) return;
      const block = !inline.has(at.localName);
      if (block || at.localName === 'br') lines.push('');
      const value = (at as { value?: unknown }).value;
      if (
        /^(input|textarea|sp-textfield|sp-textarea)$/.test(at.localName) &&
        typeof value === 'string'
      )
        add(value);
      for (let child = at.firstChild; child !== null; child = child.nextSibling) walk(child);
      if (block) lines.push('');
    };
    this.page.unlimited(() => {
      this.#lookAnew();
      walk(element);
    });
    return lines
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n');
  }

  /** The labels of everything that can be pressed now. */
  labels(): string[] {
    return this.#controls()
      .filter((control) => !isDisabled(control))
      .map((control) => labelOf(control));
  }

  /**
   * The visible control with that label (its text, or a pattern for it).
   * @param nth which of several, from 0
   * @throws Error naming the controls there are
   */
  find(label: string | RegExp, nth = 0): Element {
    const matching = this.#controls().filter((control) =>
      typeof label === 'string' ? labelOf(control) === label : label.test(labelOf(control)),
    );
    const found = matching[nth];
    if (found === undefined) {
      throw new Error(
        `nothing to press is labelled ${String(label)}; there are: ${this.labels().join(', ')}`,
      );
    }
    return found;
  }

  /** Presses an element as a click does. @throws Error when it is disabled or not to be seen */
  press(element: Element): void {
    if (isDisabled(element)) throw new Error(`${labelOf(element)} is disabled`);
    if (!this.page.unlimited(() => this.#isSeen(element)))
      throw new Error(`${labelOf(element)} is not visible`);
    this.click(element);
  }

  /** Sends the bare event. */
  click(element: Element): void {
    const { MouseEvent } = this.page.window;
    element.dispatchEvent(
      new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }),
    );
  }

  /** Types into a text field: its value, then the events input and change. */
  type(element: Element, text: string): void {
    const { Event } = this.page.window;
    (element as Element & { value: string }).value = text;
    for (const type of ['input', 'change'])
      element.dispatchEvent(new Event(type, { bubbles: true }));
  }

  /** Presses a key in an element. */
  key(element: Element, key: string): void {
    const { KeyboardEvent } = this.page.window;
    element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  }

  #isSeen(element: Element): boolean {
    this.#lookAnew();
    return this.#isVisible(element);
  }

  #lookAnew(): void {
    this.#top = this.root();
    this.#isKnownHidden.clear();
    const { document } = this.page.window;
    this.#rules = sightRules(document);
    // One walk for each of the few rules that hide something costs far less than a question for each element and rule.
    this.#hidden = new Set(
      this.#rules
        .filter(({ style }) => isHiddenBy(style))
        .flatMap(({ selector }) => allMatching(document, selector)),
    );
  }

  #isVisible(element: Element): boolean {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      if (this.#isHidden(at)) return false;
      if (at === this.#top) return true;
    }
    return false;
  }

  #controls(): Element[] {
    return this.page.unlimited(() => {
      this.#lookAnew();
      const controls = this.root().querySelectorAll(pressable) as ArrayLike<Element>;
      return Array.from(controls).filter((control) => this.#isVisible(control));
    });
  }

  /**
   * The relevant part of computed styles: rules in their order, of which the last one wins, then the element's own
   * style. jsdom computes all properties of all ancestors, which takes ten times as long.
   */
  #sight(element: Element): Sight {
    // Browsers have default rules for these.
    if (hiddenByNature.test(element.localName)) return this.#styleOf(element);
    const sight: Sight = { display: element.hasAttribute('hidden') ? 'none' : '', visibility: '' };
    // Without anything that hides it, no rule has to show it.
    if (sight.display !== '' || this.#hidden.has(element)) {
      for (const { selector, style } of this.#rules)
        if (isMatch(element, selector)) override(sight, style);
    }
    if (element.hasAttribute('style')) override(sight, (element as HTMLElement).style);
    return sight;
  }

  #isHidden(element: Element): boolean {
    if (element.localName === 'script' || element.localName === 'style') return true;
    let isHidden = this.#isKnownHidden.get(element);
    if (isHidden === undefined) {
      isHidden = element === this.#top ? this.#isRootHidden() : isHiddenBy(this.#sight(element));
      this.#isKnownHidden.set(element, isHidden);
    }
    return isHidden;
  }

  /** An element above the root may hide it; of visibility, the nearest word counts. */
  #isRootHidden(): boolean {
    let nearest = '';
    for (let at: Element | null = this.#top ?? null; at !== null; at = at.parentElement) {
      const { display, visibility } = this.#sight(at);
      if (display === 'none') return true;
      if (nearest === '') nearest = visibility;
    }
    return nearest === 'hidden';
  }
}

function isHiddenBy({ display, visibility }: Readonly<Sight>): boolean {
  return display === 'none' || visibility === 'hidden';
}

function override(sight: Sight, { display, visibility }: Readonly<Sight>): void {
  if (display !== '') sight.display = display === 'unset' ? '' : display;
  if (visibility !== '')
    sight.visibility = ['unset', 'inherit'].includes(visibility) ? '' : visibility;
}

/** The visibility rules for a screen, in order. */
function sightRules(document: Document): SightRule[] {
  const found: SightRule[] = [];
  const collect = (rules: ArrayLike<CSSRule>): void => {
    for (const rule of Array.from(rules)) {
      const { style, selectorText, media, cssRules } = rule as Partial<CSSStyleRule & CSSMediaRule>;
      if (media !== undefined) {
        if (cssRules !== undefined && Array.from(media).includes('screen')) collect(cssRules);
      } else if (style !== undefined && selectorText !== undefined) {
        const { display, visibility } = style;
        if (display !== '' || visibility !== '')
          found.push({ selector: selectorText, style: { display, visibility } });
      }
    }
  };
  for (const sheet of Array.from(document.styleSheets)) collect(sheet.cssRules);
  return found;
}

function allMatching(document: Document, selector: string): Element[] {
  try {
    return Array.from(document.querySelectorAll(selector) as ArrayLike<Element>);
  } catch {
    // A selector that is none here.
    return [];
  }
}

function isMatch(element: Element, selector: string): boolean {
  try {
    return element.matches(selector);
  } catch {
    // A selector that is none here.
    return false;
  }
}

function labelOf(element: Element): string {
  return element.textContent.replace(/\s+/g, ' ').trim();
}

function isDisabled(element: Element): boolean {
  return element.hasAttribute('disabled');
}
