import { Widget, widgetSheet } from './widget.js';

const BUTTON = widgetSheet(`
  :host {
    display: inline-block; vertical-align: middle; height: 32px; max-width: 100%; cursor: pointer;
    --back: var(--cta); --edge: var(--cta); --ink: var(--on-cta); --hover: var(--cta-hover); --hover-ink: var(--on-cta);
  }
  :host([variant='secondary']) {
    --back: transparent; --edge: var(--field-border); --ink: var(--uxp-host-text-color-secondary);
    --hover: var(--ink); --hover-ink: var(--uxp-host-background-color);
  }
  button {
    display: flex; align-items: center; justify-content: center; width: 100%; height: 100%; min-width: 72px;
    padding: 0 14px; border: 2px solid var(--edge); border-radius: 16px; background: var(--back); color: var(--ink);
    font-size: 14px; font-weight: 700; line-height: 1.2; cursor: inherit; white-space: nowrap;
  }
  #text { overflow: hidden; text-overflow: ellipsis; }
  button:hover { background: var(--hover); color: var(--hover-ink); border-color: var(--hover); }
  :host([disabled]) { cursor: default; }
  :host([disabled]) button {
    background: transparent; border-color: var(--uxp-host-border-color); color: var(--disabled);
  }
`);

const ACTION_BUTTON = widgetSheet(`
  :host { display: inline-block; vertical-align: middle; height: 32px; max-width: 100%; cursor: pointer; }
  button {
    display: flex; align-items: center; justify-content: center; width: 100%; height: 100%; min-width: 32px;
    padding: 0 10px; border: 1px solid var(--field-border); border-radius: 4px; background: transparent;
    color: var(--uxp-host-text-color); font-size: 14px; line-height: 1.2; cursor: inherit; white-space: nowrap;
  }
  #text { overflow: hidden; text-overflow: ellipsis; }
  button:hover {
    background: var(--uxp-host-widget-hover-background-color); color: var(--uxp-host-widget-hover-text-color);
    border-color: var(--uxp-host-widget-hover-border-color);
  }
  :host([disabled]) { cursor: default; }
  :host([disabled]) button {
    background: transparent; border-color: var(--uxp-host-border-color); color: var(--disabled);
  }
  :host([quiet]) button { border-color: transparent; }
`);

abstract class ButtonWidget extends Widget {
  static readonly observedAttributes = ['disabled'];

  constructor(sheet: CSSStyleSheet) {
    super(sheet, '<button id="button" type="button"><span id="text"><slot></slot></span></button>');
    // A click by script does not pass the inner button, so a disabled widget must ignore it here.
    this.addEventListener(
      'click',
      (event) => {
        if (this.hasAttribute('disabled')) {
          event.stopImmediatePropagation();
        }
      },
      true,
    );
  }

  protected override update(): void {
    this.inner('button', HTMLButtonElement).disabled = this.hasAttribute('disabled');
  }
}

/** A large button. Its `variant` is `cta`, the default, or `secondary`. */
export class SpButton extends ButtonWidget {
  constructor() {
    super(BUTTON);
  }
}

/** A small button, without a border when it has the attribute `quiet`. */
export class SpActionButton extends ButtonWidget {
  constructor() {
    super(ACTION_BUTTON);
  }
}
