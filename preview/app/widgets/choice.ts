import { defineWidget, Widget } from './widget.js';

const CSS = `
  :host { display: inline-block; vertical-align: top; min-height: 32px; max-width: 100%; cursor: pointer; }
  label { display: flex; align-items: flex-start; padding: 7px 0; font-size: 14px; line-height: 18px; cursor: inherit; }
  input {
    flex: none; appearance: none; width: 16px; height: 16px; margin: 1px 8px 1px 0; cursor: inherit;
    border: 2px solid var(--uxp-host-text-color-secondary); border-radius: 3px; background: var(--field);
  }
  input[type='radio'] { border-radius: 50%; }
  input:hover { border-color: var(--uxp-host-text-color); }
  input[type='checkbox']:checked, input:indeterminate:not([type='radio']) { border-color: var(--fill); background: var(--fill); }
  input[type='checkbox']:checked::after {
    content: ''; display: block; width: 4px; height: 8px; margin: 0 0 0 4px; transform: rotate(45deg);
    border: solid var(--uxp-host-background-color); border-width: 0 2px 2px 0;
  }
  input[type='checkbox']:indeterminate::after {
    content: ''; display: block; width: 8px; height: 2px; margin: 5px 0 0 2px; border: 0; transform: none;
    background: var(--uxp-host-background-color);
  }
  input[type='radio']:checked { border: 5px solid var(--uxp-host-text-color-secondary); }
  :host([emphasized]) input[type='radio']:checked { border-color: var(--fill); }
  :host([invalid]) input { border-color: var(--negative); }
  :host([disabled]) { cursor: default; }
  :host([disabled]) label { color: var(--disabled); }
  :host([disabled]) input { border-color: var(--disabled); background: transparent; }
`;

abstract class Choice extends Widget {
  static readonly observedAttributes = ['checked', 'indeterminate', 'disabled', 'invalid'];

  constructor(type: 'checkbox' | 'radio') {
    super(CSS, `<label><input id="box" type="${type}"><span><slot></slot></span></label>`);
  }

  get checked(): boolean {
    return this.box.checked;
  }

  set checked(on: boolean) {
    this.box.checked = on;
    this.toggleAttribute('checked', on);
  }

  protected get box(): HTMLInputElement {
    return this.inner('box', HTMLInputElement);
  }

  protected override update(): void {
    this.box.checked = this.hasAttribute('checked');
    this.box.indeterminate = this.hasAttribute('indeterminate');
    this.box.disabled = this.hasAttribute('disabled');
    this.box.ariaInvalid = String(this.hasAttribute('invalid'));
  }
}

class SpCheckbox extends Choice {
  constructor() {
    super('checkbox');
    this.box.addEventListener('change', () => {
      this.removeAttribute('indeterminate');
      this.toggleAttribute('checked', this.box.checked);
      this.announce('change');
    });
  }
}

class SpRadio extends Choice {
  constructor() {
    super('radio');
    this.box.addEventListener('change', () => {
      this.toggleAttribute('checked', this.box.checked);
      this.announce('change');
    });
  }

  /** Whether the Tab key stops here. Each group has one such stop. */
  set tabStop(on: boolean) {
    this.box.tabIndex = on ? 0 : -1;
  }
}

/** A group of sp-radio of which one is chosen. The Tab key enters it once; the arrow keys choose. */
class SpRadioGroup extends Widget {
  static readonly observedAttributes = ['column'];
  readonly #internals = this.attachInternals();

  constructor() {
    super(
      `:host { display: block; } #radios { display: flex; flex-wrap: wrap; } ::slotted([slot='label']) { display: block; }
       ::slotted(sp-radio) { margin-right: 18px; } :host([column]) #radios { flex-direction: column; }`,
      '<slot name="label"></slot><div id="radios"><slot></slot></div>',
    );
    this.#internals.role = 'radiogroup';
    this.addEventListener('change', (event) => {
      if (!(event.target instanceof SpRadio)) {
        return;
      }
      event.stopPropagation();
      this.#choose(event.target);
    });
    this.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      const radios = this.#radios().filter((radio) => !radio.hasAttribute('disabled'));
      const from = radios.findIndex((radio) => radio === event.target);
      const next =
        step === undefined || from < 0 ? undefined : radios.at((from + step) % radios.length);
      if (next === undefined) {
        return;
      }
      event.preventDefault();
      this.#choose(next);
      next.focus();
    });
    this.root.addEventListener('slotchange', () => this.update());
  }

  get value(): string {
    return (
      this.#radios()
        .find((radio) => radio.checked)
        ?.getAttribute('value') ?? ''
    );
  }

  set value(value: string) {
    for (const radio of this.#radios()) {
      radio.checked = radio.getAttribute('value') === value;
    }
    this.update();
  }

  #radios(): SpRadio[] {
    return [...this.children].filter((child): child is SpRadio => child instanceof SpRadio);
  }

  #choose(chosen: SpRadio): void {
    for (const radio of this.#radios()) {
      radio.checked = radio === chosen;
    }
    this.update();
    this.announce('change');
  }

  protected override update(): void {
    this.#internals.ariaLabel = this.querySelector('[slot="label"]')?.textContent ?? null;
    const radios = this.#radios();
    const stop = radios.find((radio) => radio.checked) ?? radios[0];
    for (const radio of radios) {
      radio.tabStop = radio === stop;
    }
  }
}

/** Defines sp-checkbox, sp-radio and sp-radio-group. */
export function defineChoices(): void {
  const disabled = { attribute: 'disabled', type: 'boolean' } as const;
  const invalid = { attribute: 'invalid', type: 'boolean' } as const;
  defineWidget('sp-checkbox', SpCheckbox, {
    disabled,
    invalid,
    indeterminate: { attribute: 'indeterminate', type: 'boolean' },
  });
  defineWidget('sp-radio', SpRadio, {
    disabled,
    invalid,
    emphasized: { attribute: 'emphasized', type: 'boolean' },
    value: { attribute: 'value', type: 'string' },
  });
  defineWidget('sp-radio-group', SpRadioGroup, {
    column: { attribute: 'column', type: 'boolean' },
  });
}
