import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { copyButton } from '../../kernel/html/components.js';
import { checkedAttr } from '../../kernel/html/form-fields.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import { PROJECTS } from '../../site/addresses/project-paths.js';
import { SHARE_PASSWORD_LENGTH, type Share, type ShareSuspension } from './share.js';

/** The address of a link, with a button that copies it. Without scripts, the field can be selected. */
export function addressField(translator: Translator, id: string, link: string): Html {
  return html`<div class="copy-field">
    <input
      id="${id}"
      class="secret"
      value="${link}"
      readonly
      aria-label="${translator.t('shareAddress')}"
    />
    ${copyButton(translator, id)}
  </div>`;
}

/** A password of a link is passed on to others, so it is shown as it is typed. */
export function passwordField(translator: Translator, typed: string, label: PlainKey): Html {
  const { min, max } = SHARE_PASSWORD_LENGTH;
  return html`<label for="password">${translator.t(label)}</label>
    <input
      id="password"
      name="password"
      type="text"
      value="${typed}"
      minlength="${String(min)}"
      maxlength="${String(max)}"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      aria-describedby="password-text"
    />
    <p class="small soft" id="password-text">${translator.t('sharePasswordText', { min })}</p>`;
}

/** The choice of a watermark, and what it means for downloads. */
export function watermarkField(translator: Translator, isChosen: boolean): Html {
  return html`<label class="option">
      <input
        type="checkbox"
        name="watermark"
        value="1"
        ${checkedAttr(isChosen)}
        aria-describedby="watermark-text"
      />
      ${translator.t('shareWatermark')}
    </label>
    <p class="small soft" id="watermark-text">
      ${translator.t('shareWatermarkText')} ${translator.t('watermarkVideos')}
    </p>`;
}

/** What a link is for, with a link to it. */
export function targetLink(translator: Translator, { target }: Share): Html | string {
  if (target.kind === 'photos' && target.chosen !== 1) {
    return translator.t('shareOfPhotos', { count: target.chosen });
  }
  const address = (target.kind === 'photos' ? PHOTOS.photo : PROJECTS.project)(target.id);
  const name = html`<a href="${address}">${verbatim(target.name)}</a>`;
  return target.kind === 'photos'
    ? translator.html('shareOfPhoto', { name })
    : translator.html('projectNamed', { project: name });
}

const SUSPENDED: Readonly<Record<ShareSuspension, PlainKey>> = {
  archived: 'shareRestsArchived',
  trashed: 'shareRestsTrashed',
  deleted: 'shareRestsDeleted',
  unseen: 'shareRestsUnseen',
};

/** Why a link does not work at present. */
export function suspensionText(
  translator: Translator,
  { suspension, target }: Share,
): string | undefined {
  if (suspension === undefined) {
    return undefined;
  }
  return suspension === 'trashed' && target.chosen === 1
    ? translator.t('shareRestsTrashedOne')
    : translator.t(SUSPENDED[suspension]);
}

/** When a link stops working, whether it has a password, and what guests did with it. */
export function shareFacts(translator: Translator, share: Share): Html {
  return html`<p class="small soft capital">
      ${translator.html('expires', { time: translator.time(share.expiresAt) })}
      ${share.passwordHash === undefined ? undefined : html`· ${translator.t('shareHasPassword')}`}
      ${share.downloads === 'none' ? html`· ${translator.t('shareNoDownloads')}` : undefined}
      ${share.watermark ? html`· ${translator.t('shareHasWatermark')}` : undefined}
      ${share.downloads === 'web' ? html`· ${translator.t('shareWebDownloads')}` : undefined}
    </p>
    <p class="small soft">
      ${translator.t('shareViews', { count: share.views })} ·
      ${translator.t('shareDownloadCount', { count: share.downloadCount })} ·
      ${
        share.openedAt === undefined
          ? translator.t('shareNotOpened')
          : translator.html('shareOpened', { time: translator.time(share.openedAt) })
      }
    </p>`;
}
