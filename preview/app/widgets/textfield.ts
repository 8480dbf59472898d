import { Widget, widgetSheet } from './widget.js';

const TEXTFIELD = widgetSheet(`
  :host { display: inline-block; vertical-align: top; width: 192px; max-width: 100%; }
  #field {
    display: block; width: 100%; height: 32px; padding: 3px 11px; border: 1px solid var(--field-border); border-radius: 4px;
    background: var(--field); color: var(--uxp-host-text-color); font-size: 14px; line-height: 1.4;
  }
  #field::placeholder { color: var(--uxp-host-text-color-secondary); font-style: italic; opacity: 1; }
  #field:hover { border-color: var(--uxp-host-widget-hover-border-color); }
  #field:focus-visible { outline-offset: -1px; border-color: var(--focus); }
`);

/** A field for one line of text. Its `placeholder` is its accessible name. */
export class SpTextfield extends Widget {
  static readonly observedAttributes = ['placeholder'];

  constructor() {
    super(TEXTFIELD, '<input id="field">');
    // Unlike `input`, the `change` event does not leave a shadow tree.
    this.#field.addEventListener('change', () => {
      this.dispatchEvent(new Event('change', { bubbles: true }));
    });
  }

  get value(): string {
    return this.#field.value;
  }

  set value(text: string) {
    this.#field.value = text;
  }

  get #field(): HTMLInputElement {
    return this.inner('field', HTMLInputElement);
  }

  protected override update(): void {
    const placeholder = this.getAttribute('placeholder') ?? '';
    this.#field.placeholder = placeholder;
    this.#field.ariaLabel = placeholder;
  }
}
