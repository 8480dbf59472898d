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
  /** What the style sheets hide, as of this look. */
  #hiding = '';

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
      this.#hiding = hidingSelector(this.page.window.document);
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
    this.#hiding = hidingSelector(this.page.window.document);
    return this.#isVisible(element);
  }

  #isVisible(element: Element): boolean {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      if (this.#isHidden(at)) return false;
      if (at === this.root()) return true;
    }
    return false;
  }

  #controls(): Element[] {
    return this.page.unlimited(() => {
      this.#hiding = hidingSelector(this.page.window.document);
      const controls = this.root().querySelectorAll(pressable) as ArrayLike<Element>;
      return Array.from(controls).filter((control) => this.#isVisible(control));
    });
  }

  /** To ask a simulated page for computed styles costs more than all else: so only where something hides. */
  #mayBeHidden(element: Element): boolean {
    if (element === this.root() || hiddenByNature.test(element.localName)) return true;
    if (element.hasAttribute('hidden')) return true;
    if (/none|hidden/.test(element.getAttribute('style') ?? '')) return true;
    if (this.#hiding === '') return false;
    try {
      return element.matches(this.#hiding);
    } catch {
      // A selector that is none here.
      return true;
    }
  }

  #isHidden(element: Element): boolean {
    if (element.localName === 'script' || element.localName === 'style') return true;
    if (!this.#mayBeHidden(element)) return false;
    const style = this.#styleOf(element);
    return style.display === 'none' || style.visibility === 'hidden';
  }
}

/** The selectors of all rules that hide something, whatever else that depends on; empty when there are none. */
function hidingSelector(document: Document): string {
  const selectors: string[] = [];
  const collect = (rules: ArrayLike<CSSRule>): void => {
    for (const rule of Array.from(rules)) {
      const { style, selectorText, cssRules } = rule as Partial<CSSStyleRule>;
      if (style?.display === 'none' || style?.visibility === 'hidden')
        selectors.push(selectorText ?? '*');
      if (cssRules !== undefined) collect(cssRules);
    }
  };
  for (const sheet of Array.from(document.styleSheets)) collect(sheet.cssRules);
  return selectors.join(', ');
}

function labelOf(element: Element): string {
  return element.textContent.replace(/\s+/g, ' ').trim();
}

function isDisabled(element: Element): boolean {
  return element.hasAttribute('disabled');
}
