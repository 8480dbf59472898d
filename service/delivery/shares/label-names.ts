import { renderShell, type PageHandler, type PageShell } from '../../identity/index.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html } from '../../kernel/html-tag.js';
import type { Page } from '../../kernel/html/layout.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import {
  guestNameOf,
  LABELS,
  MAX_LABEL_NAME,
  type LabelNames,
  type LabelTable,
} from '../../library/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { notFoundPage } from '../../site/error-pages.js';

/** Shows the names of labels to the owners of a workspace, and changes them. */
export function labelNames({ labels }: { readonly labels: LabelTable }): PageHandler {
  return async (context) => {
    const { query, form, memberships, response, shell } = context;
    const wanted = form?.get('workspace') ?? query.get('workspace');
    const workspace = memberships.find(({ id, role }) => id === wanted && role === 'owner');
    if (workspace === undefined) {
      sendPage(context, 404, notFoundPage());
    } else if (form === undefined) {
      const names = await labels.of(workspace.id);
      sendPage(context, 200, labelNamesPage(shell, workspace.id, names));
    } else {
      await labels.set(workspace.id, namesIn(form));
      sendRedirect(response, `${SHARES.labels}?workspace=${workspace.id}&flash=saved`);
    }
  };
}

/** The names of the form; those that are empty or too long are left out. */
function namesIn(form: URLSearchParams): LabelNames {
  return new Map(
    LABELS.flatMap(({ number }) => {
      const name = guestNameOf(form.get(`label${number}`) ?? '');
      return name === undefined || name.length > MAX_LABEL_NAME ? [] : [[number, name] as const];
    }),
  );
}

function labelNamesPage(shell: PageShell, workspaceId: string, names: LabelNames): Page {
  return renderShell(
    'labelNames',
    'shares',
    shell,
    (translator) =>
      html`<h1>${translator.t('labelNames')}</h1>
        <p>${translator.t('labelNamesText')}</p>
        <form method="post" action="${SHARES.labels}">
          ${csrfField(shell)} <input type="hidden" name="workspace" value="${workspaceId}" />
          ${LABELS.map(
            ({ number, colour }) =>
              html`<label for="label${String(number)}"
                  ><span class="dot dot-${String(number)}"></span> ${translator.t(colour)}</label
                >
                <input
                  id="label${String(number)}"
                  name="label${String(number)}"
                  value="${names.get(number) ?? ''}"
                  maxlength="${String(MAX_LABEL_NAME)}"
                  placeholder="${translator.t(colour)}"
                />`,
          )}
          <button type="submit">${translator.t('saveChanges')}</button>
        </form>`,
  );
}
