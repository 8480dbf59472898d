import { createHash } from 'node:crypto';
import { Html, markup } from './html.js';
import { STYLE } from './style.js';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const STYLE_ELEMENT = Html.trusted(`<style>${STYLE}</style>`);

/**
 * The Content-Security-Policy of every page: our one inline style sheet, forms to this origin, and
 * nothing else; no script at all.
 * @param formTarget source expression of where a form's answer may redirect to besides this origin:
 * browsers hold redirects after a form against `form-action`, too.
 */
export function contentSecurityPolicy(formTarget?: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** A whole page in the look of the product. `wide` is for pages with lists. */
export function layout(title: string, content: Html, width: 'narrow' | 'wide' = 'narrow'): Html {
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Creative Workspace</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main class="${width}">
          <p class="product">
            <svg viewBox="0 0 28 28" aria-hidden="true">
              <rect width="28" height="28" rx="8" />
              <path d="M7 19.5l5-6 3.5 4 2-2.3 3.5 4.3zM18.5 9.5h.01" /></svg
            >Creative Workspace
          </p>
          ${content}
        </main>
      </body>
    </html> `;
}

/** A message about something that went wrong, read out by screen readers. */
export function problemBox(problem: string | undefined): Html | undefined {
  return problem === undefined ? undefined : markup`<p class="problem" role="alert">${problem}</p>`;
}
