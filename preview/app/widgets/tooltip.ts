import { defineWidget, Widget } from './widget.js';

const CSS = `
  :host {
    display: inline-block; position: relative; padding: 4px 10px; border-radius: 4px; font-size: 12px; line-height: 1.4;
    background: var(--uxp-host-text-color); color: var(--uxp-host-background-color);
  }
  #tip { position: absolute; width: 8px; height: 8px; background: inherit; transform: rotate(45deg); left: calc(50% - 4px); bottom: -3px; }
  :host([location='bottom']) #tip { bottom: auto; top: -3px; }
  :host([location='left']) #tip { left: auto; right: -3px; bottom: auto; top: calc(50% - 4px); }
  :host([location='right']) #tip { left: -3px; bottom: auto; top: calc(50% - 4px); }
`;

/** The box of a tooltip. `location` sets the side of its tip, but not where the tooltip is shown. */
class SpTooltip extends Widget {
  constructor() {
    super(CSS, '<slot></slot><span id="tip"></span>');
  }
}

/** Defines sp-tooltip. */
export function defineTooltip(): void {
  defineWidget('sp-tooltip', SpTooltip, { location: { attribute: 'location', type: 'string' } });
}
