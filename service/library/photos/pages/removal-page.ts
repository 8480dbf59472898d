import { renderShell, type PageShell } from '../../../identity/index.js';
import { csrfField } from '../../../kernel/html/form-fields.js';
import type { Page } from '../../../kernel/html/layout.js';
import { html } from '../../../kernel/html-tag.js';

/** The question before photos are deleted permanently. */
export function removalPage(
  shell: PageShell,
  {
    form,
    count,
    until,
    back,
  }: {
    readonly form: URLSearchParams;
    readonly count: number;
    /** Photos that are put into the trash later are not meant. */
    readonly until: Date;
    /** The address of the list. */
    readonly back: string;
  },
): Page {
  const fields = [...form].filter(([name]) => ['photo', 'all', 'except'].includes(name));
  const isWhole = form.has('all') && !form.has('except');
  return renderShell(isWhole ? 'emptyTrash' : 'removeNow', 'trash', shell, (translator) => {
    const question =
      count === 1 ? translator.t('removeOneQuestion') : translator.t('removeQuestion', { count });
    return html`<h1>${question}</h1>
      <p>${translator.t('cannotBeUndone')}</p>
      <form method="post" action="${back}">
        ${csrfField(shell)}
        <input type="hidden" name="action" value="remove" />
        <input type="hidden" name="confirm" value="yes" />
        <input type="hidden" name="until" value="${String(until.getTime())}" />
        ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <p class="pager">
          <button type="submit" class="danger small">${translator.t('removeNow')}</button>
          <a class="button quiet small" href="${back}">${translator.t('cancel')}</a>
        </p>
      </form>`;
  });
}
