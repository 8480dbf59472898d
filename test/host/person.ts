import type { Page } from './page.js';

/** Elements a person can press. */
const pressable =
  'button, sp-button, sp-action-button, sp-link, a, sp-checkbox, sp-radio, sp-menu-item, input';
/** Elements that stand in a line of text. */
const inline = new Set(['a', 'sp-link', 'sp-icon', 'br', 'sp-label', 'label']);
/** Elements that browsers may hide by themselves, besides what has the attribute `hidden`. */
const hiddenByNature =
  /^(area|base|basefont|datalist|details|dialog|head|input|link|meta|noembed|noframes|noscript|param|rp|script|style|summary|template|title)$/;

/** What a person in front of the panel sees and does. */
export class Person {
  readonly #styleOf: (element: Element) => CSSStyleDeclaration;
  /** The root, as of this look. */
  #top: Element | undefined;
  /** What the style sheets may hide, as of this look. */
  #hiding: ReadonlySet<Element> = new Set();
  /** What was found hidden, or not, in this look: to ask for computed styles costs more than all else. */
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

  #isSeen(element: Element): boolean {
    this.#lookAnew();
    return this.#isVisible(element);
  }

  #lookAnew(): void {
    this.#top = this.root();
    this.#isKnownHidden.clear();
    this.#hiding = mayBeHiddenBySheets(this.page.window.document);
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

  /** Computed styles are asked for only where something hides. */
  #mayBeHidden(element: Element): boolean {
    if (element === this.#top || hiddenByNature.test(element.localName)) return true;
    if (element.hasAttribute('hidden')) return true;
    if (/none|hidden/.test(element.getAttribute('style') ?? '')) return true;
    return this.#hiding.has(element);
  }

  #isHidden(element: Element): boolean {
    if (element.localName === 'script' || element.localName === 'style') return true;
    let isHidden = this.#isKnownHidden.get(element);
    if (isHidden === undefined) {
      isHidden = this.#mayBeHidden(element) && isHiddenBy(this.#styleOf(element));
      this.#isKnownHidden.set(element, isHidden);
    }
    return isHidden;
  }
}

function isHiddenBy({ display, visibility }: CSSStyleDeclaration): boolean {
  return display === 'none' || visibility === 'hidden';
}

/** The elements that rules which hide something are about, whatever else that depends on. */
function mayBeHiddenBySheets(document: Document): Set<Element> {
  const selectors: string[] = [];
  const collect = (rules: ArrayLike<CSSRule>): void => {
    for (const rule of Array.from(rules)) {
      const { style, selectorText, cssRules } = rule as Partial<CSSStyleRule>;
      if (style !== undefined && isHiddenBy(style)) selectors.push(selectorText ?? '*');
      if (cssRules !== undefined) collect(cssRules);
    }
  };
  for (const sheet of Array.from(document.styleSheets)) collect(sheet.cssRules);
  if (selectors.length === 0) return new Set();
  const matching = (selector: string): ArrayLike<Element> => document.querySelectorAll(selector);
  try {
    return new Set(Array.from(matching(selectors.join(', '))));
  } catch {
    // A selector that is none here.
    return new Set(Array.from(matching('*')));
  }
}

function labelOf(element: Element): string {
  return element.textContent.replace(/\s+/g, ' ').trim();
}

function isDisabled(element: Element): boolean {
  return element.hasAttribute('disabled');
}
