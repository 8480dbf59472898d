import { html, type Html } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';

/** The bar and the words of the viewer, for its script, `service/client/viewer.ts`. A page with photos has it once. */
export function viewerTemplate(translator: Translator): Html {
  const hundred = new Intl.NumberFormat(translator.language, { style: 'percent' }).format(1);
  return html`<template
    class="viewer-template"
    data-previous="${translator.t('previousPhoto')}"
    data-next="${translator.t('nextPhoto')}"
    data-problem="${translator.t('pictureMissing')}"
    data-film-problem="${translator.t('videoNotPlayable')}"
  >
    <button type="button" class="viewer-close" aria-label="${translator.t('close')}">
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M20 12H5M11 6l-6 6 6 6" /></svg>
    </button>
    <p class="viewer-title" role="status">
      <bdi class="viewer-name" translate="no"></bdi>
      <span
        class="viewer-count"
        data-text="${translator.t('photoOf', { number: '{number}', count: '{count}' })}"
        data-page-text="${translator.t('pageOf', { number: '{number}', count: '{count}' })}"
      ></span>
    </p>
    <div class="viewer-actions">
      <span class="viewer-buttons"></span>
      <button type="button" class="viewer-zoom" title="${translator.t('actualSize')}">
        ${hundred}
      </button>
      <a class="viewer-page">${translator.t('photoDetails')}</a>
      <a class="viewer-download" download>${translator.t('download')}</a>
    </div>
  </template>`;
}
