import { createHash } from 'node:crypto';
import { Html, html } from '../html-tag.js';
import { LANGUAGE_PATH, LANGUAGES } from '../i18n/locale-negotiation.js';
import type { PageLocale } from '../i18n/page-locale.js';
import type { PlainKey, Message } from '../i18n/message.js';
import { Translator } from '../i18n/translator.js';
import type { ClientEntry } from './bundle-client.js';
import { STYLE } from './style.js';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const STYLE_ELEMENT = Html.raw(`<style>${STYLE}</style>`);

/**
 * The Content-Security-Policy of every page. It allows our one inline style sheet, forms to this origin, pictures and
 * films if the page shows any, the scripts of this origin if the page has one, and nothing else.
 * @param formTarget source expression of a place, other than this origin, to which the answer to a form may redirect:
 *   browsers check redirects after a form against `form-action`, too.
 * @param content.pictureOrigins from where pictures may come besides this origin.
 */
export function contentSecurityPolicy(
  formTarget?: string,
  {
    showsPictures = false,
    pictureOrigins = [],
    hasScript = false,
  }: {
    readonly showsPictures?: boolean;
    readonly pictureOrigins?: readonly string[];
    readonly hasScript?: boolean;
  } = {},
): string {
  return [
    "default-src 'none'",
    ...(showsPictures ? [["img-src 'self'", ...pictureOrigins].join(' '), "media-src 'self'"] : []),
    ...(hasScript ? ["script-src 'self'", "connect-src 'self'"] : []),
    `style-src ${hasScript ? "'self' " : ''}'sha256-${STYLE_HASH}'`,
    `form-action 'self'${formTarget === undefined ? '' : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** A page that is not translated yet. The code that creates it does not depend on the language. */
export interface Page {
  /** The title in the browser's tab: a key of the dictionaries, or a name. */
  readonly title: PlainKey | { readonly name: string };
  readonly content: (translator: Translator) => Html;
  /** `wide` is for pages with lists, `full` for pages with pictures. */
  readonly width: 'narrow' | 'wide' | 'full';
  readonly showsPictures: boolean;
  /** The script and the style sheet of the page, if it has any. */
  readonly client: ClientEntry | undefined;
  /** The content of the header; without one, the product is named above the content. */
  readonly header: ((translator: Translator) => Html) | undefined;
}

/** Makes a page; see {@link Page} for the parts. {@link layout} writes it. */
export function page(
  title: Page['title'],
  content: Page['content'],
  options: Partial<Omit<Page, 'title' | 'content'>> = {},
): Page {
  const plain = { width: 'narrow', showsPictures: false, client: undefined } as const;
  return { ...plain, header: undefined, title, content, ...options };
}

/** The mark of the product. */
export const PRODUCT_MARK = Html.raw(
  '<svg class="logo" viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="8"/><path d="M7 19.5l5-6 3.5 4 2-2.3 3.5 4.3zM18.5 9.5h.01"/></svg>',
);

/** Where the scripts and style sheets of pages are. */
export interface ClientAddresses {
  address(entry: ClientEntry, extension: 'js' | 'css'): string;
}

/** A whole HTML document with the look of the product, in the language of its reader. */
export function layout(
  { title, content, width, client, header }: Page,
  locale: PageLocale,
  clientFiles: ClientAddresses | undefined,
): Html {
  const translator = new Translator(locale.language);
  return html`<!doctype html>
    <html lang="${locale.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${titleElement(title, translator)} ${STYLE_ELEMENT}
        ${client && clientFiles && clientElements(client, clientFiles)}
      </head>
      <body ${header && html`class="app"`}>
        ${header && html`<header>${header(translator)}</header>`}
        <main class="${width}">
          ${header === undefined ? html`<p class="product">${PRODUCT_MARK}Creative Workspace</p>` : undefined}
          ${content(translator)}
        </main>
        ${client && html`<div id="end" hidden></div>`}
        ${locale.menu && languageMenu(translator, locale.menu)}
      </body>
    </html> `;
}

function titleElement(title: Page['title'], translator: Translator): Html {
  return typeof title === 'string'
    ? html`<title>${translator.t(title)} · Creative Workspace</title>`
    : html`<title translate="no">${title.name} · Creative Workspace</title>`;
}

function clientElements(entry: ClientEntry, files: ClientAddresses): Html {
  // Rows of photos move as long as more of them arrive. So the first paint waits for the end of the content.
  return html`<link rel="expect" href="#end" blocking="render" />
    <link rel="stylesheet" href="${files.address(entry, 'css')}" />
    <script type="module" src="${files.address(entry, 'js')}"></script>`;
}

/** The form to choose a language; it leads back to the page it is on. */
function languageMenu(
  translator: Translator,
  { address, secret }: NonNullable<PageLocale['menu']>,
): Html {
  return html`<footer>
    <form method="post" action="${LANGUAGE_PATH}">
      <input type="hidden" name="secret" value="${secret}" />
      <input type="hidden" name="page" value="${address}" />
      <label for="language">${translator.t('language')}</label>
      <select id="language" name="language" autocomplete="off">
        ${Object.entries(LANGUAGES).map(
          ([language, name]) =>
            html`<option
              value="${language}"
              lang="${language}"
              ${language === translator.language ? html` selected` : undefined}
            >
              ${name}
            </option>`,
        )}
      </select>
      <button type="submit" class="quiet small">${translator.t('changeLanguage')}</button>
    </form>
  </footer>`;
}

/** A message about something that went wrong, read out by screen readers; undefined without a problem. */
export function errorBox(translator: Translator, problem: Message | undefined): Html | undefined {
  return problem === undefined
    ? undefined
    : html`<p class="problem" role="alert">${translator.markup(problem)}</p>`;
}
