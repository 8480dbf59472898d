import { validateName } from '../../identity/index.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { MAX_PROJECT_NAME } from './project.js';
import { MAX_PROJECTS, type ProjectRefusal } from './project-table.js';

/** The problem with the name of a project, in one sentence; undefined if it is valid. */
export function projectNameProblem(name: string): Message | undefined {
  const problem = validateName(name, MAX_PROJECT_NAME);
  return problem && message('nameTheProject', { problem });
}

/** Why a project was not made or changed, in one sentence. */
export function refusalSentence(refusal: ProjectRefusal): Message {
  return refusal === 'taken'
    ? message('projectNameTaken')
    : message('tooManyProjects', { max: MAX_PROJECTS });
}

/** The field for the name of a project, with its label. */
export function projectNameField(label: string, name: string): Html {
  return html`<label for="name">${label}</label>
    <input
      id="name"
      name="name"
      type="text"
      value="${name}"
      maxlength="${String(MAX_PROJECT_NAME)}"
      autocomplete="off"
      required
    />`;
}
