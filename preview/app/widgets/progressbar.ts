import { defineWidget, Widget } from './widget.js';

const CSS = `
  :host { display: inline-block; vertical-align: top; width: 208px; max-width: 100%; font-size: var(--uxp-host-font-size-smaller); }
  #head { display: flex; justify-content: space-between; margin-bottom: 4px; }
  #head.empty { display: none; }
  #value { margin-left: 12px; white-space: nowrap; font-variant-numeric: tabular-nums; }
  #track { height: 6px; border-radius: 3px; background: var(--track); overflow: hidden; }
  :host([size='small']) #track { height: 4px; }
  #fill { height: 100%; width: 0; background: var(--fill); }
  :host([variant='overBackground']) #head, :host([variant='overBackground']) ::slotted([slot='label']) { color: #fff; }
  :host([variant='overBackground']) #track { background: rgb(255 255 255 / 30%); }
  :host([variant='overBackground']) #fill { background: #fff; }
  ::slotted([slot='label']) { min-width: 0; }
`;

const HTML = `
  <div id="head"><slot name="label"></slot><span id="value"></span></div>
  <div id="track"><div id="fill"></div></div>
`;

/** A bar from 0 to `max` (by default 100). `show-value` shows `value-label`, or the percentage, beside the label. */
class SpProgressbar extends Widget {
  static readonly observedAttributes = ['max', 'value', 'value-label', 'show-value'];
  readonly #internals = this.attachInternals();

  constructor() {
    super(CSS, HTML);
    this.#internals.role = 'progressbar';
    this.root.addEventListener('slotchange', () => this.update());
  }

  protected override update(): void {
    const max = Number(this.getAttribute('max') ?? 100) || 100;
    const value = Math.min(Math.max(Number(this.getAttribute('value') ?? 0) || 0, 0), max);
    const percent = Math.round((value / max) * 100);
    const text = this.getAttribute('value-label') ?? `${percent}%`;
    const shown = this.hasAttribute('show-value') || this.hasAttribute('value-label');
    const label = this.querySelector('[slot="label"]');
    this.inner('value', HTMLElement).textContent = shown ? text : '';
    this.inner('head', HTMLElement).classList.toggle('empty', !shown && label === null);
    this.inner('fill', HTMLElement).style.width = `${(value / max) * 100}%`;
    this.#internals.ariaValueMin = '0';
    this.#internals.ariaValueMax = String(max);
    this.#internals.ariaValueNow = String(value);
    this.#internals.ariaValueText = text;
    this.#internals.ariaLabel = label?.textContent ?? null;
  }
}

/** Defines sp-progressbar. */
export function defineProgressbar(): void {
  defineWidget('sp-progressbar', SpProgressbar, {
    max: { attribute: 'max', type: 'number' },
    value: { attribute: 'value', type: 'number' },
    valueLabel: { attribute: 'value-label', type: 'string' },
    showValue: { attribute: 'show-value', type: 'boolean' },
    size: { attribute: 'size', type: 'string' },
    variant: { attribute: 'variant', type: 'string' },
  });
}
