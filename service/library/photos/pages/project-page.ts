import { sendPage, sendRedirect } from '../../../kernel/http/responses.js';
import { html, type Html, verbatim } from '../../../kernel/html-tag.js';
import { errorBox, type Page } from '../../../kernel/html/layout.js';
import { notFoundPage } from '../../../site/error-pages.js';
import { message, type Message } from '../../../kernel/i18n/message.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { RECEIPTS } from '../../../site/addresses/receipt-paths.js';
import { PROJECTS } from '../../../site/addresses/project-paths.js';
import { SHARES } from '../../../site/addresses/share-paths.js';
import { csrfField } from '../../../kernel/html/form-fields.js';
import {
  visibilityOf,
  renderShell,
  type PageShell,
  type PageHandler,
} from '../../../identity/index.js';
import {
  mayManage,
  projectNameField,
  projectNameProblem,
  refusalSentence,
  type PhotoCounts,
  type Project,
  type ProjectTable,
} from '../../projects/index.js';
import { addressOf, isFiltered, readQuery } from '../data/photo-query.js';
import { uploadControl } from './upload-control.js';
import { searchForm } from './filter-form.js';
import { galleryBar, galleryList, readGallery, type Gallery, type GalleryDeps } from './gallery.js';
import { withListMessage } from './change-message.js';

interface Shown {
  readonly project: Project;
  readonly gallery: Gallery;
  readonly counts: PhotoCounts;
  readonly isTheirs: boolean;
  /** The name that was entered and refused, and why. */
  readonly name?: string | undefined;
  readonly problem?: Message | undefined;
}

/**
 * Shows one project with its photos to the members of its workspace. Its creator and the owners can rename and archive it.
 */
export function projectPage(deps: GalleryDeps): PageHandler {
  return async (context) => {
    const { response, id, form, account, memberships } = context;
    const project = await deps.projects.find(id);
    const isMember = memberships.some((one) => one.id === project?.workspaceId);
    const query = project && isMember ? readQuery(context.query, memberships, project) : undefined;
    if (project === undefined || query === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const isTheirs = mayManage(project, account.id, memberships);
    const outcome =
      form === undefined
        ? undefined
        : isTheirs
          ? await change(deps.projects, project, form)
          : message('cannotBeDone');
    if (typeof outcome === 'string') {
      sendRedirect(response, `${PROJECTS.project(id)}?flash=${outcome}`);
      return;
    }
    const gallery = await readGallery(deps, query, context);
    if (gallery === 'first-page') {
      sendRedirect(response, addressOf(PROJECTS.project(id), query));
      return;
    }
    const page = oneProjectPage(await withListMessage(deps.changes, context, query), {
      ...{ project, gallery, isTheirs, problem: outcome },
      name: form?.get('name') ?? undefined,
      counts: await deps.projects.countPhotos(visibilityOf(query.workspace, account.id), id),
    });
    sendPage(context, outcome === undefined ? 200 : isTheirs ? 400 : 403, page);
  };
}

/** @returns the name of the change, or why it failed. */
async function change(
  projects: ProjectTable,
  project: Project,
  form: URLSearchParams,
): Promise<'saved' | 'archived' | 'broughtBack' | Message> {
  const action = form.get('action');
  if (action === 'rename') {
    const name = (form.get('name') ?? '').trim();
    const problem = projectNameProblem(name);
    if (problem !== undefined) {
      return problem;
    }
    const outcome = await projects.change(project, { name });
    return outcome === 'taken' ? refusalSentence(outcome) : 'saved';
  }
  if (action === 'archive' || action === 'back') {
    const isArchived = action === 'archive';
    const outcome = await projects.change(project, { isArchived });
    return outcome === 'taken' ? refusalSentence(outcome) : isArchived ? 'archived' : 'broughtBack';
  }
  return message('cannotBeDone');
}

function oneProjectPage(shell: PageShell, shown: Shown): Page {
  const { project, gallery } = shown;
  const { query } = gallery;
  return renderShell(
    { name: project.name },
    'projects',
    { ...shell, workspace: query.workspace },
    (translator) =>
      html`${galleryBar(translator, gallery, {
          heading: verbatim(project.name),
          facts: facts(translator, shown),
          actions: html`${
            project.archivedAt === undefined ? uploadControl(translator, shell, query) : undefined
          }
          ${shareAction(translator, project)}`,
        })}
        ${
          project.archivedAt &&
          html`<p class="box">
            ${translator.html('isArchived', { time: translator.time(project.archivedAt) })}
          </p>`
        }
        ${errorBox(translator, shown.problem)} ${galleryList(translator, shell, gallery)}
        <details class="manage" ${shown.problem && html`open`}>
          <summary>${translator.t('manageProject')}</summary>
          <p class="soft small">
            ${translator.html('made', { time: translator.time(project.createdAt) })}
            ${project.creatorName === undefined ? undefined : html`· ${verbatim(project.creatorName)}`}
          </p>
          ${
            shown.counts.photos > 0
              ? html`<p>
                    <a class="button quiet small" href="${addressOf(PHOTOS.zip, query)}" download
                      >${translator.t(isFiltered(query) ? 'downloadFoundZip' : 'downloadAllZip')}</a
                    >
                    <a class="button quiet small" href="${addressOf(RECEIPTS.list, query)}" download
                      >${translator.t('receipt')}</a
                    >
                  </p>
                  <p class="soft small">${translator.withLink('receiptHint', RECEIPTS.verify)}</p>`
              : undefined
          }
          ${
            shown.isTheirs
              ? manageForms(translator, shell, project, shown.name ?? project.name)
              : html`<p class="small soft">${translator.t('whoManagesProject')}</p>`
          }
        </details>`,
    { search: (translator) => searchForm(translator, query) },
  );
}

/** How many photos the project has, and how many earlier versions of them. */
function facts(translator: Translator, { counts }: Shown): Html {
  const { photos, replaced } = counts;
  return html`${photos === 1 ? translator.t('onePhoto') : translator.t('photoCount', { count: photos })}${
    replaced === 0
      ? undefined
      : html` ·
        ${replaced === 1 ? translator.t('oneVersionReplaced') : translator.t('versionsReplaced', { count: replaced })}`
  }`;
}

function shareAction(translator: Translator, { id, archivedAt }: Project): Html {
  const query = new URLSearchParams({ project: id }).toString();
  return archivedAt === undefined
    ? html`<a class="button small" href="${SHARES.new}?${query}">${translator.t('share')}</a>`
    : html``;
}

function manageForms(
  translator: Translator,
  shell: PageShell,
  project: Project,
  name: string,
): Html {
  const isArchived = project.archivedAt !== undefined;
  return html`<form method="post" action="${PROJECTS.project(project.id)}" class="fields">
      ${csrfField(shell)}
      <input type="hidden" name="action" value="rename" />
      <div>${projectNameField(translator.t('name'), name)}</div>
      <button type="submit" class="quiet small">${translator.t('rename')}</button>
    </form>
    <form method="post" action="${PROJECTS.project(project.id)}" class="choice">
      ${csrfField(shell)}
      <button
        type="submit"
        name="action"
        value="${isArchived ? 'back' : 'archive'}"
        class="quiet small"
      >
        ${translator.t(isArchived ? 'bringBack' : 'archiveProject')}
      </button>
      ${isArchived ? undefined : html`<p class="small soft">${translator.t('archiveText')}</p>`}
    </form>`;
}
