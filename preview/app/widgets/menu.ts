import { defineWidget, Widget } from './widget.js';

class SpMenuItem extends Widget {
  static readonly observedAttributes = ['selected', 'disabled'];
  readonly #internals = this.attachInternals();

  constructor() {
    super(
      `:host { display: flex; align-items: center; padding: 6px 12px; font-size: 14px; line-height: 1.4; cursor: pointer; }
       :host(:hover), :host(:focus) { background: var(--uxp-host-widget-hover-background-color); color: var(--uxp-host-widget-hover-text-color); outline: none; }
       :host(:focus-visible) { box-shadow: inset 2px 0 0 var(--focus); }
       :host([selected])::after { content: '✓'; margin-left: auto; padding-left: 12px; }
       :host([disabled]) { color: var(--disabled); pointer-events: none; }`,
      '<slot></slot>',
      'host',
    );
    this.#internals.role = 'option';
  }

  protected override update(): void {
    this.tabIndex = -1;
    this.#internals.ariaSelected = String(this.hasAttribute('selected'));
    this.#internals.ariaDisabled = String(this.hasAttribute('disabled'));
  }
}

class SpMenuDivider extends Widget {
  constructor() {
    super(
      ':host { display: block; height: 1px; margin: 4px 0; background: var(--uxp-host-border-color); }',
      '',
    );
  }
}

/** A list of sp-menu-item of which one may be selected. The arrow keys move the focus; Enter and Space choose. */
class SpMenu extends Widget {
  readonly #internals = this.attachInternals();

  constructor() {
    super(
      ':host { display: block; padding: 4px 0; border: 1px solid var(--uxp-host-border-color); border-radius: 4px; background: var(--menu); }',
      '<slot></slot>',
    );
    this.#internals.role = 'listbox';
    this.addEventListener('click', (event) => {
      const item = event.target instanceof Element ? event.target.closest('sp-menu-item') : null;
      if (item instanceof SpMenuItem && !item.hasAttribute('disabled')) {
        this.#choose(item);
      }
    });
    this.addEventListener('keydown', (event) => this.#key(event));
  }

  get selectedIndex(): number {
    return this.items.findIndex((item) => item.hasAttribute('selected'));
  }

  set selectedIndex(index: number) {
    for (const [i, item] of this.items.entries()) {
      item.toggleAttribute('selected', i === index);
    }
  }

  get items(): SpMenuItem[] {
    return [...this.querySelectorAll('sp-menu-item')].filter(
      (item): item is SpMenuItem => item instanceof SpMenuItem,
    );
  }

  protected override update(): void {
    const first = this.items[this.selectedIndex] ?? this.items[0];
    if (this.closest('sp-dropdown') === null && first !== undefined) {
      first.tabIndex = 0;
    }
  }

  #choose(item: SpMenuItem): void {
    this.selectedIndex = this.items.indexOf(item);
    this.announce('change');
  }

  #key(event: KeyboardEvent): void {
    const items = this.items.filter((item) => !item.hasAttribute('disabled'));
    const at = items.findIndex((item) => item === event.target);
    if ((event.key === 'Enter' || event.key === ' ') && at >= 0) {
      items[at]?.click();
    } else if (event.key === 'ArrowDown') {
      items.at((at + 1) % items.length)?.focus();
    } else if (event.key === 'ArrowUp') {
      items.at(at <= 0 ? -1 : at - 1)?.focus();
    } else {
      return;
    }
    event.preventDefault();
  }
}

const DROPDOWN_CSS = `
  :host { display: inline-block; vertical-align: top; position: relative; width: 192px; max-width: 100%; }
  #button {
    display: flex; align-items: center; width: 100%; height: 32px; padding: 0 10px 0 11px; border: 1px solid var(--field-border);
    border-radius: 4px; background: transparent; color: inherit; font-size: 14px; text-align: left; cursor: pointer;
  }
  #button:hover { background: var(--uxp-host-widget-hover-background-color); border-color: var(--uxp-host-widget-hover-border-color); }
  #text { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  #text.placeholder { font-style: italic; color: var(--uxp-host-text-color-secondary); }
  #arrow { flex: none; width: 7px; height: 7px; margin: -4px 2px 0 8px; border: solid currentColor; border-width: 0 2px 2px 0; transform: rotate(45deg); }
  #list { display: none; position: absolute; z-index: 10; left: 0; right: 0; top: 36px; max-height: 240px; overflow: auto; box-shadow: 0 2px 8px rgb(0 0 0 / 35%); border-radius: 4px; }
  :host(.open) #list { display: block; }
  :host([quiet]) #button { border-color: transparent; }
  :host([invalid]) #button { border-color: var(--negative); }
  #button:disabled { color: var(--disabled); border-color: var(--uxp-host-border-color); cursor: default; }
`;

class SpDropdown extends Widget {
  static readonly observedAttributes = ['placeholder', 'disabled', 'selected-index'];

  constructor() {
    super(
      DROPDOWN_CSS,
      `<button id="button" type="button" aria-haspopup="listbox" aria-expanded="false"><span id="text"></span><span id="arrow"></span></button>
       <div id="list"><slot name="options"></slot></div>`,
    );
    const button = this.inner('button', HTMLButtonElement);
    button.addEventListener('click', () => this.#open(!this.classList.contains('open')));
    this.addEventListener('change', () => {
      this.update();
      this.#open(false);
      button.focus();
    });
    this.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        this.#open(false);
      } else if (event.key === 'ArrowDown' && !this.classList.contains('open')) {
        this.#open(true);
      } else {
        return;
      }
      event.preventDefault();
    });
    this.addEventListener('focusout', (event) => {
      if (!(event.relatedTarget instanceof Node) || !this.contains(event.relatedTarget)) {
        this.#open(false);
      }
    });
    this.root.addEventListener('slotchange', () => this.update());
  }

  get selectedIndex(): number {
    return this.#menu()?.selectedIndex ?? -1;
  }

  set selectedIndex(index: number) {
    const menu = this.#menu();
    if (menu !== undefined) {
      menu.selectedIndex = index;
    }
    this.update();
  }

  protected override update(): void {
    const chosen = this.#menu()?.items[this.selectedIndex];
    const text = this.inner('text', HTMLElement);
    text.textContent = chosen?.textContent.trim() ?? this.getAttribute('placeholder') ?? '';
    text.classList.toggle('placeholder', chosen === undefined);
    this.inner('button', HTMLButtonElement).disabled = this.hasAttribute('disabled');
  }

  #menu(): SpMenu | undefined {
    return [...this.querySelectorAll('sp-menu')].find(
      (menu): menu is SpMenu => menu instanceof SpMenu,
    );
  }

  #open(open: boolean): void {
    this.classList.toggle('open', open);
    this.inner('button', HTMLButtonElement).ariaExpanded = String(open);
    const menu = this.#menu();
    if (open) {
      (menu?.items[menu.selectedIndex] ?? menu?.items[0])?.focus();
    }
  }
}

/** Defines sp-menu, sp-menu-item, sp-menu-divider and sp-dropdown. */
export function defineMenus(): void {
  defineWidget('sp-menu-divider', SpMenuDivider);
  defineWidget('sp-menu-item', SpMenuItem, {
    selected: { attribute: 'selected', type: 'boolean' },
    disabled: { attribute: 'disabled', type: 'boolean' },
  });
  defineWidget('sp-menu', SpMenu);
  defineWidget('sp-dropdown', SpDropdown, {
    disabled: { attribute: 'disabled', type: 'boolean' },
    quiet: { attribute: 'quiet', type: 'boolean' },
    invalid: { attribute: 'invalid', type: 'boolean' },
    placeholder: { attribute: 'placeholder', type: 'string' },
  });
}
