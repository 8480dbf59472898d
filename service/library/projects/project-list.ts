import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import type { Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import {
  visibilityOf,
  noWorkspaceYetPage,
  renderShell,
  type PageShell,
  type AuthenticatedRequest,
  type PageHandler,
} from '../../identity/index.js';
import { atVersion, PHOTOS } from '../../site/addresses/photo-paths.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { PROJECTS } from '../../site/addresses/project-paths.js';
import type { ProjectSummary } from './project.js';
import { projectNameField, projectNameProblem, refusalSentence } from './project-form.js';
import type { ProjectTable } from './project-table.js';

interface Shown {
  readonly workspace: AuthenticatedRequest['memberships'][number];
  readonly memberships: AuthenticatedRequest['memberships'];
  readonly projects: readonly ProjectSummary[];
  /** The name that was entered and refused, and why. */
  readonly name: string;
  readonly problem: Message | undefined;
}

/** Shows the projects of a workspace, and makes new ones. Every member may do both. */
export function projectList(projects: ProjectTable): PageHandler {
  return async (context) => {
    const { response, query, form, account, memberships, shell } = context;
    const wanted = (form ?? query).get('workspace');
    const found = memberships.find(({ id }) => id === wanted);
    // A form is for the workspace that it names, and for no other.
    const workspace = found ?? (form === undefined ? memberships[0] : undefined);
    if (workspace === undefined) {
      const page = noWorkspaceYetPage('projects', shell, account.username);
      sendPage(context, form === undefined ? 200 : 403, page);
      return;
    }
    const name = (form?.get('name') ?? '').trim();
    let problem = form === undefined ? undefined : projectNameProblem(name);
    if (form !== undefined && problem === undefined) {
      const made = await projects.create(workspace.id, name, account.id);
      if (typeof made === 'object') {
        sendRedirect(response, `${PROJECTS.project(made.id)}?flash=projectMade`);
        return;
      }
      problem = refusalSentence(made);
    }
    const all = await projects.summaries(visibilityOf(workspace, account.id));
    const shown = { workspace, memberships, projects: all, name, problem };
    sendPage(context, problem === undefined ? 200 : 400, projectListPage(shell, shown));
  };
}

function projectListPage(shell: PageShell, shown: Shown): Page {
  const { workspace, projects } = shown;
  const current = projects.filter(({ archivedAt }) => archivedAt === undefined);
  const archived = projects.filter(({ archivedAt }) => archivedAt !== undefined);
  return renderShell(
    'projects',
    'projects',
    { ...shell, workspace },
    (translator) =>
      html`<h1>${translator.t('projects')}</h1>
        <p class="soft">${translator.t('projectsText')}</p>
        ${errorBox(translator, shown.problem)}
        <form method="post" action="${PROJECTS.root}" class="fields">
          ${csrfField(shell)}
          <input type="hidden" name="workspace" value="${workspace.id}" />
          <div>${projectNameField(translator.t('newProjectName'), shown.name)}</div>
          <button type="submit" class="small">${translator.t('createProject')}</button>
        </form>
        ${
          current.length === 0
            ? html`<p>${translator.t(archived.length === 0 ? 'noProjectYet' : 'allArchived')}</p>`
            : html`<ul class="projects">
                ${current.map((project) => card(translator, project, 'h2'))}
              </ul>`
        }
        ${
          archived.length === 0
            ? undefined
            : html`<h2>${translator.t('archive')}</h2>
                <ul class="projects">
                  ${archived.map((project) => card(translator, project, 'h3'))}
                </ul>`
        }`,
  );
}

function card(
  translator: Translator,
  { id, name, photos, updatedAt, cover }: ProjectSummary,
  level: 'h2' | 'h3',
): Html {
  const link = html`<a href="${PROJECTS.project(id)}">${verbatim(name)}</a>`;
  return html`<li>
    ${
      cover === undefined
        ? html`<div class="cover"></div>`
        : html`<img
            class="cover"
            src="${atVersion(PHOTOS.thumbnail(cover.id), cover.version)}"
            alt=""
            loading="lazy"
          />`
    }
    ${level === 'h2' ? html`<h2>${link}</h2>` : html`<h3>${link}</h3>`}
    <p class="small soft">
      ${photos === 1 ? translator.t('onePhoto') : translator.t('photoCount', { count: photos })} ·
      ${translator.time(updatedAt)}
    </p>
  </li>`;
}
