import { Html, html } from '../html-tag.js';
import type { Translator } from '../i18n/translator.js';
import type { Mail } from './mail-transport.js';

/** A picture in a mail. */
export interface MailPicture {
  /** What it shows, such as the name of a file. */
  readonly label: string;
  readonly jpeg: Buffer;
}

/** The content of a mail in one language. */
export interface MailContent {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Short lines below the paragraphs. */
  readonly lines?: readonly string[];
  /** Small pictures below the lines. The plain text is complete without them. */
  readonly pictures?: readonly MailPicture[];
  /** The one link, as a button; undefined for none. */
  readonly link?: { readonly label: string; readonly url: string } | undefined;
  /** Advice for readers who did not expect the mail. */
  readonly advice: string;
  /** How to get no more such mails: a page, which also ends them for a POST without a session. */
  readonly unsubscribe?: { readonly label: string; readonly url: string };
}

const STYLE = Html.raw(
  `<style>
      :root { color-scheme: light dark; }
      body { margin: 0; padding: 24px 16px; background: #f5f5f7; color: #1d1d1f; font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; }
      main { max-width: 480px; margin: 0 auto; padding: 28px; border-radius: 12px; background: #fff; }
      h1 { margin: 0 0 16px; font-size: 20px; line-height: 1.3; }
      p { margin: 0 0 16px; overflow-wrap: anywhere; }
      .button { display: inline-block; padding: 10px 20px; border-radius: 8px; background: #0b63ce; color: #fff; font-weight: 600; text-decoration: none; }
      img { border-radius: 6px; }
      ul { margin: 0 0 16px; padding-left: 20px; overflow-wrap: anywhere; }
      .soft { margin: 0; color: #6e6e73; font-size: 14px; }
      @media (prefers-color-scheme: dark) {
        body { background: #161617; color: #f5f5f7; }
        main { background: #1d1d1f; }
        .soft { color: #a1a1a6; }
      }
    </style>`,
);

/** Writes a mail as plain text and as simple HTML. Pictures are in the mail itself: readers are not tracked. */
export function layoutMail(
  translator: Translator,
  { subject, paragraphs, lines = [], pictures = [], link, advice, unsubscribe }: MailContent,
): Omit<Mail, 'to'> {
  const written = html`<!doctype html>
    <html lang="${translator.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${subject}</title>
        ${STYLE}
      </head>
      <body>
        <main>
          <h1>${subject}</h1>
          ${paragraphs.map((text) => html`<p>${text}</p>`)}
          ${
            lines.length === 0
              ? undefined
              : html`<ul>
                  ${lines.map((text) => html`<li>${text}</li>`)}
                </ul>`
          }
          ${
            pictures.length === 0
              ? undefined
              : html`<p>
                  ${pictures.map(
                    ({ label }, index) =>
                      html`<img src="cid:${cidOf(index)}" alt="${label}" height="96" /> `,
                  )}
                </p>`
          }
          ${link && html`<p><a class="button" href="${link.url}">${link.label}</a></p>`}
          <p class="soft">${advice}</p>
          ${unsubscribe && html`<p class="soft"><a href="${unsubscribe.url}">${unsubscribe.label}</a></p>`}
        </main>
      </body>
    </html> `;
  const text = [
    ...paragraphs,
    ...(lines.length === 0 ? [] : [lines.map((line) => `- ${line}`).join('\n')]),
    ...(link === undefined ? [] : [`${link.label}:\n${link.url}`]),
    advice,
    ...(unsubscribe === undefined ? [] : [`${unsubscribe.label}:\n${unsubscribe.url}`]),
  ];
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: written.toString(),
    ...(unsubscribe !== undefined && { unsubscribeUrl: unsubscribe.url }),
    ...(pictures.length > 0 && {
      pictures: pictures.map(({ jpeg }, index) => ({ cid: cidOf(index), jpeg })),
    }),
  };
}

/** The id of a picture ([RFC 2392](https://www.rfc-editor.org/rfc/rfc2392)). */
function cidOf(index: number): string {
  return `picture-${index + 1}@mail`;
}

/**
 * A name that a user chose, for a mail. Mail programs make links of whatever looks like an address; an invisible space
 * prevents that, so that nobody sends a link of their own in our mails.
 */
export function plainName(name: string): string {
  return name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[.:/@](?=\S)/gu, '$&\u200B');
}
