import { defineWidget, Widget } from './widget.js';

const BUTTON_CSS = `
  :host { display: inline-block; vertical-align: middle; height: 32px; max-width: 100%; cursor: pointer; }
  button {
    display: flex; align-items: center; justify-content: center; width: 100%; height: 100%; min-width: 72px;
    padding: 0 14px; border: 2px solid var(--edge); border-radius: 16px; background: var(--back); color: var(--ink);
    font-size: 14px; font-weight: 700; line-height: 1.2; cursor: inherit; white-space: nowrap;
  }
  #text { overflow: hidden; text-overflow: ellipsis; }
  ::slotted([slot='icon']) { flex: none; margin-right: 8px; }
  button:hover { background: var(--hover); color: var(--hover-ink); border-color: var(--hover-edge, var(--hover)); }

  :host { --back: var(--cta); --edge: var(--cta); --ink: var(--on-cta); --hover: var(--cta-hover); --hover-ink: var(--on-cta); }
  :host([variant='primary']), :host([variant='secondary']), :host([variant='warning']), :host([variant='overBackground']) {
    --back: transparent; --hover: var(--ink); --edge: var(--ink); --hover-ink: var(--uxp-host-background-color);
  }
  :host([variant='primary']) { --ink: var(--uxp-host-text-color); }
  :host([variant='secondary']) {
    --ink: var(--uxp-host-text-color-secondary); --edge: var(--field-border);
  }
  :host([variant='warning']) { --ink: var(--negative); }
  :host([variant='overBackground']) { --ink: #fff; --hover-ink: #222; }
  :host([quiet][variant]:not([variant='cta'])) {
    --edge: transparent; --hover: var(--uxp-host-widget-hover-background-color); --hover-ink: var(--ink);
  }

  :host([disabled]) { cursor: default; }
  :host([disabled]) button, :host([disabled]) button:hover {
    background: transparent; border-color: var(--uxp-host-border-color); color: var(--disabled);
  }
`;

const ACTION_CSS = `
  :host { display: inline-block; vertical-align: middle; height: 32px; max-width: 100%; cursor: pointer; }
  button {
    display: flex; align-items: center; justify-content: center; width: 100%; height: 100%; min-width: 32px;
    padding: 0 10px; border: 1px solid var(--field-border); border-radius: 4px; background: transparent;
    color: var(--uxp-host-text-color); font-size: 14px; line-height: 1.2; cursor: inherit; white-space: nowrap;
  }
  #text { overflow: hidden; text-overflow: ellipsis; }
  ::slotted([slot='icon']) { flex: none; }
  .labelled ::slotted([slot='icon']) { margin-right: 8px; }
  button:hover {
    background: var(--uxp-host-widget-hover-background-color); color: var(--uxp-host-widget-hover-text-color);
    border-color: var(--uxp-host-widget-hover-border-color);
  }
  :host([quiet]) button { border-color: transparent; }
  :host([disabled]) { cursor: default; }
  :host([disabled]) button, :host([disabled]) button:hover {
    background: transparent; color: var(--disabled); border-color: var(--uxp-host-border-color);
  }
  :host([disabled][quiet]) button { border-color: transparent; }
`;

const HTML =
  '<button id="button" type="button"><slot name="icon"></slot><span id="text"><slot></slot></span></button>';

abstract class ButtonBase extends Widget {
  static readonly observedAttributes = ['disabled', 'title'];

  constructor(css: string) {
    super(css, HTML);
    this.root.addEventListener('slotchange', () => this.update());
    // A click by script does not pass the inner button, so a disabled widget must ignore it here.
    this.addEventListener(
      'click',
      (event) => this.hasAttribute('disabled') && event.stopImmediatePropagation(),
      true,
    );
  }

  protected override update(): void {
    const button = this.inner('button', HTMLButtonElement);
    button.disabled = this.hasAttribute('disabled');
    // Screen readers cannot read an icon, so the title names a button that has only an icon.
    const title = this.getAttribute('title');
    const labelled = this.textContent.trim() !== '';
    button.classList.toggle('labelled', labelled);
    if (title !== null && !labelled) {
      button.setAttribute('aria-label', title);
    } else {
      button.removeAttribute('aria-label');
    }
  }
}

class SpButton extends ButtonBase {
  constructor() {
    super(BUTTON_CSS);
  }
}

class SpActionButton extends ButtonBase {
  constructor() {
    super(ACTION_CSS);
  }
}

/** Defines sp-button and sp-action-button. */
export function defineButtons(): void {
  const disabled = { attribute: 'disabled', type: 'boolean' } as const;
  const quiet = { attribute: 'quiet', type: 'boolean' } as const;
  defineWidget('sp-button', SpButton, {
    disabled,
    quiet,
    variant: { attribute: 'variant', type: 'string' },
  });
  defineWidget('sp-action-button', SpActionButton, { disabled, quiet });
}
