import { defineWidget, Widget } from './widget.js';

const CSS = `
  :host { display: inline-block; vertical-align: top; width: 192px; max-width: 100%; }
  ::slotted([slot='label']) { display: block; margin-bottom: 4px; }
  #field {
    display: block; width: 100%; height: 32px; padding: 3px 11px; border: 1px solid var(--field-border); border-radius: 4px;
    background: var(--field); color: var(--uxp-host-text-color); font-size: 14px; line-height: 1.4;
  }
  textarea#field { height: 72px; padding: 6px 11px; resize: none; }
  #field::placeholder { color: var(--uxp-host-text-color-secondary); font-style: italic; opacity: 1; }
  #field:hover { border-color: var(--uxp-host-widget-hover-border-color); }
  #field:focus-visible { outline-offset: -1px; border-color: var(--focus); }
  :host([quiet]) #field { border-width: 0 0 1px; border-radius: 0; background: transparent; padding-left: 0; }
  :host([invalid]) #field { border-color: var(--negative); }
  :host([valid]) #field { border-color: var(--positive); }
  #field:disabled { color: var(--disabled); border-color: var(--uxp-host-border-color); background: transparent; }
`;

/** The base of sp-textfield and sp-textarea. The value is that of the inner control. */
abstract class TextInput<Control extends HTMLInputElement | HTMLTextAreaElement> extends Widget {
  static readonly observedAttributes = ['placeholder', 'type', 'disabled', 'value', 'invalid'];

  protected readonly field: Control;

  constructor(control: string, type: new () => Control) {
    super(CSS, `<slot name="label"></slot>${control}`);
    this.field = this.inner('field', type);
    this.field.addEventListener('change', () => this.announce('change'));
    this.root.addEventListener('slotchange', () => this.update());
  }

  get value(): string {
    return this.field.value;
  }

  set value(text: string) {
    this.field.value = text;
  }

  protected override update(): void {
    this.field.placeholder = this.getAttribute('placeholder') ?? '';
    this.field.disabled = this.hasAttribute('disabled');
    this.field.ariaInvalid = String(this.hasAttribute('invalid'));
    this.field.ariaLabel =
      this.querySelector('[slot="label"]')?.textContent ?? this.getAttribute('placeholder');
    this.field.defaultValue = this.getAttribute('value') ?? '';
  }
}

class SpTextfield extends TextInput<HTMLInputElement> {
  constructor() {
    super('<input id="field">', HTMLInputElement);
  }

  protected override update(): void {
    super.update();
    const type = this.getAttribute('type');
    this.field.type = type === 'number' || type === 'search' || type === 'password' ? type : 'text';
  }
}

class SpTextarea extends TextInput<HTMLTextAreaElement> {
  constructor() {
    super('<textarea id="field"></textarea>', HTMLTextAreaElement);
  }
}

/** Defines sp-textfield and sp-textarea. */
export function defineTextInputs(): void {
  const reflected = {
    placeholder: { attribute: 'placeholder', type: 'string' },
    disabled: { attribute: 'disabled', type: 'boolean' },
    valid: { attribute: 'valid', type: 'boolean' },
    invalid: { attribute: 'invalid', type: 'boolean' },
    quiet: { attribute: 'quiet', type: 'boolean' },
  } as const;
  defineWidget('sp-textfield', SpTextfield, {
    ...reflected,
    type: { attribute: 'type', type: 'string' },
  });
  defineWidget('sp-textarea', SpTextarea, reflected);
}
