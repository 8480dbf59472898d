import { html } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import type { Message } from '../../kernel/i18n/message.js';
import { SHARES } from '../../site/addresses/share-paths.js';

/** An address of a link that names one of its photos. */
export function ofPhoto(address: string, id: string): string {
  return `${address}?${new URLSearchParams({ photo: id }).toString()}`;
}

/** For an unknown link. The page does not reveal whether it ever existed. */
export function shareGonePage(): Page {
  return page(
    'shareGoneTitle',
    (translator) =>
      html`<h1>${translator.t('shareGoneTitle')}</h1>
        <p>${translator.t('shareGoneText')}</p>`,
  );
}

/** For a link that has ended. Guests learn no more than that. */
export function shareEndedPage(end: 'expired' | 'revoked' | undefined): Page {
  if (end === undefined) {
    return shareGonePage();
  }
  return plainPage(end === 'expired' ? 'shareExpiredTitle' : 'shareRevokedTitle', 'shareEndedText');
}

/** For a link that shows nothing at present. The reason is for its creator only. */
export function shareSuspendedPage(): Page {
  return plainPage('shareRestsTitle', 'shareRestsText');
}

type EndKey = 'shareExpiredTitle' | 'shareRevokedTitle' | 'shareRestsTitle';

function plainPage(title: EndKey, text: 'shareEndedText' | 'shareRestsText'): Page {
  return page(
    title,
    (translator) =>
      html`<h1>${translator.t(title)}</h1>
        <p>${translator.t(text)}</p>`,
  );
}

/** The form for the password of a link. */
export function shareLockedPage(csrf: string, problem: Message | undefined): Page {
  return page(
    'shareLockedTitle',
    (translator) =>
      html`<h1>${translator.t('shareLockedTitle')}</h1>
        <p>${translator.t('shareLockedText')}</p>
        ${errorBox(translator, problem)}
        <form method="post">
          <input type="hidden" name="csrf" value="${csrf}" />
          <label for="password">${translator.t('password')}</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="off"
            required
            autofocus
          />
          <button type="submit">${translator.t('continue')}</button>
        </form>`,
  );
}

/** Why an original, or a ZIP of originals, is not sent, with what a guest can do instead. */
export function shareOriginalPage(
  token: string,
  problem: Message,
  {
    isPending,
    photoId,
    hasWebSize,
  }: {
    readonly isPending: boolean;
    /** Undefined for a ZIP. */
    readonly photoId: string | undefined;
    readonly hasWebSize: boolean;
  },
): Page {
  const again = photoId === undefined ? SHARES.zip(token) : ofPhoto(SHARES.file(token), photoId);
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        ${errorBox(translator, problem)}
        ${
          isPending
            ? html`<p><a class="button" href="${again}">${translator.t('tryAgain')}</a></p>`
            : undefined
        }
        ${
          photoId !== undefined && hasWebSize
            ? html`<p>
                <a class="button quiet" href="${`${ofPhoto(SHARES.file(token), photoId)}&size=web`}"
                  >${translator.t('downloadWebSize')}</a
                >
              </p>`
            : undefined
        }
        <p>
          <a class="button quiet" href="${SHARES.shared(token)}">${translator.t('photos')}</a>
        </p>`,
  );
}

/** The error page of a link, with a way back to its photos. */
export function shareProblemPage(token: string, problem: Message): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        ${errorBox(translator, problem)}
        <p><a class="button" href="${SHARES.shared(token)}">${translator.t('photos')}</a></p>`,
  );
}
