import { Widget, widgetSheet } from './widget.js';

const PROGRESSBAR = widgetSheet(`
  :host { display: inline-block; vertical-align: top; width: 208px; max-width: 100%; }
  #track { height: 6px; border-radius: 3px; background: var(--track); overflow: hidden; }
  :host([size='small']) #track { height: 4px; }
  #fill { height: 100%; width: 0; background: var(--fill); }
`);

/** A bar from 0 to `max` (by default 100). */
export class SpProgressbar extends Widget {
  static readonly observedAttributes = ['max', 'value'];
  readonly #internals = this.attachInternals();

  constructor() {
    super(PROGRESSBAR, '<div id="track"><div id="fill"></div></div>');
    this.#internals.role = 'progressbar';
  }

  protected override update(): void {
    const max = Number(this.getAttribute('max') ?? 100) || 100;
    const value = Math.min(Math.max(Number(this.getAttribute('value') ?? 0) || 0, 0), max);
    this.inner('fill', HTMLElement).style.width = `${(value / max) * 100}%`;
    this.#internals.ariaValueMin = '0';
    this.#internals.ariaValueMax = String(max);
    this.#internals.ariaValueNow = String(value);
    this.#internals.ariaValueText = `${Math.round((value / max) * 100)}%`;
  }
}
