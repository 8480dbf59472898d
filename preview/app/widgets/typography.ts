import { defineWidget, Widget } from './widget.js';

const sizes = (pixels: Readonly<Record<string, number>>): string =>
  Object.entries(pixels)
    .map(([size, px]) => `:host([size='${size}']) { font-size: ${px}px; }`)
    .join('\n');

class SpHeading extends Widget {
  readonly #internals = this.attachInternals();

  constructor() {
    super(
      `:host { display: block; font-weight: 700; line-height: 1.25; font-size: 18px; }
       ${sizes({ XXXL: 36, XXL: 32, XL: 28, L: 22, M: 18, S: 16, XS: 14, XXS: 13 })}`,
      '<slot></slot>',
    );
    this.#internals.role = 'heading';
    this.#internals.ariaLevel = '2';
  }
}

class SpBody extends Widget {
  constructor() {
    super(
      `:host { display: block; line-height: 1.5; font-size: 14px; }
       ${sizes({ XXXL: 28, XXL: 22, XL: 18, L: 16, M: 14, S: 14, XS: 12 })}`,
      '<slot></slot>',
    );
  }
}

class SpDetail extends Widget {
  constructor() {
    super(
      `:host { display: block; font-size: 11px; line-height: 1.4; font-weight: 600; letter-spacing: 0.06em;
         text-transform: uppercase; color: var(--uxp-host-text-color-secondary); }`,
      '<slot></slot>',
    );
  }
}

class SpLabel extends Widget {
  constructor() {
    super(
      `:host { display: inline-block; font-size: var(--uxp-host-font-size-smaller); line-height: 1.4; color: var(--uxp-host-label-text-color); }
       :host([isrequired])::after { content: ' *'; color: var(--negative); }`,
      '<slot></slot>',
    );
  }
}

class SpDivider extends Widget {
  readonly #internals = this.attachInternals();

  constructor() {
    super(
      `:host { display: block; height: 2px; border-radius: 1px; background: var(--uxp-host-border-color); }
       :host([size='small']) { height: 1px; }
       :host([size='large']) { height: 4px; border-radius: 2px; }`,
      '',
    );
    this.#internals.role = 'separator';
  }
}

/** Defines sp-heading, sp-body, sp-detail, sp-label and sp-divider. */
export function defineTypography(): void {
  const size = { attribute: 'size', type: 'string' } as const;
  defineWidget('sp-heading', SpHeading, { size });
  defineWidget('sp-body', SpBody, { size });
  defineWidget('sp-detail', SpDetail);
  defineWidget('sp-label', SpLabel);
  defineWidget('sp-divider', SpDivider, { size });
}
