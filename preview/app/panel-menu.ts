import type { MenuItem } from '../../src/host/panel-entry.js';

/** The button above the panel that opens the panel's own menu (flyout), as in creative apps. */
export class PanelMenu {
  readonly #button: HTMLButtonElement;
  readonly #list: HTMLElement;

  /** @param list the element that the entries are shown in. */
  constructor(button: HTMLButtonElement, list: HTMLElement) {
    this.#button = button;
    this.#list = list;
    button.addEventListener('click', () => this.#show(this.#list.hidden !== false));
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') {
        this.#show(false);
      }
    });
    document.addEventListener('pointerdown', ({ target }) => {
      const inside = target instanceof Node && (button.contains(target) || list.contains(target));
      if (!inside) {
        this.#show(false);
      }
    });
    // A click into the panel's frame does not reach this page, but takes the focus away from it.
    window.addEventListener('blur', () => this.#show(false));
    this.set([]);
  }

  /** Shows these entries from now on; without any, the button is disabled. */
  set(items: readonly MenuItem[]): void {
    this.#show(false);
    this.#button.disabled = items.length === 0;
    this.#list.replaceChildren(
      ...items.map((item) => {
        const entry = document.createElement('button');
        entry.type = 'button';
        entry.setAttribute('role', 'menuitem');
        entry.textContent = item.label;
        entry.addEventListener('click', () => {
          this.#show(false);
          item.onSelect();
        });
        return entry;
      }),
    );
  }

  #show(open: boolean): void {
    this.#list.hidden = !open;
    this.#button.setAttribute('aria-expanded', String(open));
  }
}
