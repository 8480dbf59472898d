import { defineWidget, Widget } from './widget.js';

const CSS = `
  :host { display: inline; cursor: pointer; }
  a { color: var(--uxp-host-link-text-color); text-decoration: underline; border-radius: 2px; overflow-wrap: anywhere; }
  a:hover { color: var(--uxp-host-link-hover-text-color); }
  :host([quiet]) a { text-decoration: none; }
  :host([quiet]) a:hover { text-decoration: underline; }
  :host([variant='overBackground']) a { color: #fff; }
`;

/** A link. With `href` it opens the system browser, which the page cannot prevent; without, it only sends `click`. */
class SpLink extends Widget {
  constructor() {
    super(CSS, '<a role="link" tabindex="0"><slot></slot></a>');
    this.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.isTrusted) {
        this.click();
      }
    });
    this.addEventListener('click', () => {
      const href = this.getAttribute('href');
      if (href !== null && /^https?:\/\//i.test(href)) {
        window.open(href, '_blank', 'noopener');
      }
    });
  }
}

/** Defines sp-link. */
export function defineLink(): void {
  defineWidget('sp-link', SpLink, {
    href: { attribute: 'href', type: 'string' },
    quiet: { attribute: 'quiet', type: 'boolean' },
    variant: { attribute: 'variant', type: 'string' },
  });
}
