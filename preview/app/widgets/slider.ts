import { defineWidget, Widget } from './widget.js';

const CSS = `
  :host { display: inline-block; vertical-align: top; width: 208px; max-width: 100%; font-size: var(--uxp-host-font-size-smaller); }
  #head { display: flex; justify-content: space-between; }
  #value { margin-left: 12px; }
  input { display: block; appearance: none; width: 100%; height: 20px; margin: 0; background: transparent; cursor: pointer; }
  input::-webkit-slider-runnable-track { height: 2px; border-radius: 1px; background: var(--paint, var(--track)); }
  input::-moz-range-track { height: 2px; border-radius: 1px; background: var(--paint, var(--track)); }
  input::-webkit-slider-thumb {
    appearance: none; width: 16px; height: 16px; margin-top: -7px; border-radius: 50%;
    border: 2px solid var(--uxp-host-text-color-secondary); background: var(--uxp-host-background-color);
  }
  input::-moz-range-thumb {
    width: 12px; height: 12px; border-radius: 50%;
    border: 2px solid var(--uxp-host-text-color-secondary); background: var(--uxp-host-background-color);
  }
  input:disabled { cursor: default; opacity: 0.5; }
`;

class SpSlider extends Widget {
  static readonly observedAttributes = [
    'min',
    'max',
    'value',
    'disabled',
    'variant',
    'fill-offset',
    'value-label',
    'show-value',
  ];

  constructor() {
    super(
      CSS,
      '<div id="head"><slot name="label"></slot><span id="value"></span></div><input id="range" type="range">',
    );
    this.#range.addEventListener('input', () => this.#paint());
    this.#range.addEventListener('change', () => this.announce('change'));
    this.root.addEventListener('slotchange', () => this.update());
  }

  get value(): number {
    return Number(this.#range.value);
  }

  set value(value: number) {
    this.#range.value = String(value);
    this.#paint();
  }

  get #range(): HTMLInputElement {
    return this.inner('range', HTMLInputElement);
  }

  protected override update(): void {
    this.#range.min = this.getAttribute('min') ?? '0';
    this.#range.max = this.getAttribute('max') ?? '100';
    this.#range.defaultValue = this.getAttribute('value') ?? '0';
    this.#range.disabled = this.hasAttribute('disabled');
    this.#range.ariaLabel = this.querySelector('[slot="label"]')?.textContent ?? null;
    this.#paint();
  }

  #paint(): void {
    const { min, max, value } = this.#range;
    const shown =
      this.getAttribute('show-value') === 'true' || this.getAttribute('show-value') === '';
    this.inner('value', HTMLElement).textContent = shown
      ? value + (this.getAttribute('value-label') ?? '')
      : '';
    const at = ((Number(value) - Number(min)) / (Number(max) - Number(min) || 1)) * 100;
    const [left, right] =
      this.getAttribute('fill-offset') === 'right' ? ['track', 'fill'] : ['fill', 'track'];
    if (this.getAttribute('variant') !== 'filled') {
      this.#range.style.removeProperty('--paint');
    } else {
      this.#range.style.setProperty(
        '--paint',
        `linear-gradient(to right, var(--${left}) ${at}%, var(--${right}) ${at}%)`,
      );
    }
  }
}

/** Defines sp-slider. */
export function defineSlider(): void {
  defineWidget('sp-slider', SpSlider, { disabled: { attribute: 'disabled', type: 'boolean' } });
}
