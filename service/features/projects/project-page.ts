import { sendPage, sendRedirect } from '../../platform/http/responses.js';
import { html, type Html } from '../../platform/html-tag.js';
import { errorBox, type Page } from '../../platform/html/layout.js';
import { notFoundPage } from '../../platform/html/error-pages.js';
import { message, type Message } from '../../platform/i18n/message.js';
import type { Translator } from '../../platform/i18n/translator.js';
import { PHOTOS } from '../../platform/paths/photo-paths.js';
import { shareButton } from '../../platform/html/share-button.js';
import { csrfField } from '../../platform/html/form-fields.js';
import { renderShell, type PageShell } from '../../auth/session/page-shell.js';
import type { PageHandler } from '../../auth/session/authenticated-request.js';
import { PROJECTS } from '../../platform/paths/project-paths.js';
import { mayManage, type Project } from './project.js';
import { projectNameField, projectNameProblem, refusalSentence } from './project-form.js';
import type { ProjectTable } from './project-table.js';

/** Shows one project to the members of its workspace. Its creator and the owners can rename and archive it. */
export function oneProject(projects: ProjectTable): PageHandler {
  return async (context) => {
    const { response, id, form, account, memberships, frame } = context;
    const project = await projects.find(id);
    const isMember = memberships.some((one) => one.id === project?.workspaceId);
    if (project === undefined || !isMember) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const isTheirs = mayManage(project, account.id, memberships);
    if (form === undefined) {
      sendPage(context, 200, oneProjectPage(frame, { project, isTheirs }));
      return;
    }
    const outcome = isTheirs ? await change(projects, project, form) : message('cannotBeDone');
    if (typeof outcome === 'string') {
      sendRedirect(response, `${PROJECTS.project(id)}?done=${outcome}`);
    } else {
      const page = oneProjectPage(frame, {
        project,
        isTheirs,
        name: form.get('name') ?? project.name,
        problem: outcome,
      });
      sendPage(context, isTheirs ? 400 : 403, page);
    }
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

function oneProjectPage(
  frame: PageShell,
  about: {
    project: Project;
    isTheirs: boolean;
    name?: string;
    problem?: Message;
  },
): Page {
  const { project } = about;
  const photos = new URLSearchParams({ workspace: project.workspaceId, project: project.id });
  return renderShell(
    { name: project.name },
    'projects',
    frame,
    (translator) =>
      html`<h1><bdi>${project.name}</bdi></h1>
        <p class="soft small">
          ${translator.html('made', { time: translator.time(project.createdAt) })}
          ${project.creatorName === undefined ? undefined : html`· ${project.creatorName}`}
        </p>
        ${
          project.archivedAt &&
          html`<p class="box">
            ${translator.html('isArchived', { time: translator.time(project.archivedAt) })}
          </p>`
        }
        <p class="pager">
          <a class="button" href="${PHOTOS.root}?${photos.toString()}"
            >${translator.t('showItsPhotos')}</a
          >
          <a class="button quiet" href="${PHOTOS.zip}?${photos.toString()}" download
            >${translator.t('downloadAllZip')}</a
          >
        </p>
        ${
          project.archivedAt === undefined
            ? shareButton(translator, 'project', project.id)
            : undefined
        }
        ${errorBox(translator, about.problem)}
        ${
          about.isTheirs
            ? manageForms(translator, frame, project, about.name ?? project.name)
            : html`<p class="small soft">${translator.t('whoManagesProject')}</p>`
        }`,
  );
}

function manageForms(
  translator: Translator,
  frame: PageShell,
  project: Project,
  name: string,
): Html {
  const isArchived = project.archivedAt !== undefined;
  return html`<form method="post" action="${PROJECTS.project(project.id)}">
      ${csrfField(frame)}
      <input type="hidden" name="action" value="rename" />
      ${projectNameField(translator.t('name'), name)}
      <button type="submit" class="quiet small">${translator.t('rename')}</button>
    </form>
    <form method="post" action="${PROJECTS.project(project.id)}">
      ${csrfField(frame)}
      ${isArchived ? undefined : html`<p class="small soft">${translator.t('archiveText')}</p>`}
      <button
        type="submit"
        name="action"
        value="${isArchived ? 'back' : 'archive'}"
        class="quiet small"
      >
        ${translator.t(isArchived ? 'bringBack' : 'archiveProject')}
      </button>
    </form>`;
}
