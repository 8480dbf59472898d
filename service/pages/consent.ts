import type { Scope } from '../oauth/scopes.js';
import type { Workspace } from '../accounts/accounts.js';
import { markup, type Html } from './html.js';
import { page, problemBox, type Page } from './layout.js';
import { SCOPE_WORDS } from './scopes.js';
import type { Sentence } from './sentence.js';
import { signedInAs } from './signed-in-as.js';
import type { Speech } from './speech.js';

/** Who made an app. */
export type Maker =
  | 'platform'
  /** The owner of the workspace with this name. */
  | { readonly workspaceName: string };

/** Where the browser is sent with the answer, in a form for people to read. */
export interface AnswerAddress {
  /** The host name, with the port unless it is the default one. */
  readonly host: string;
  readonly isThisComputer: boolean;
}

/** The consent page: who asks, for what, in which workspace. It posts to its own address. */
export function consentPage(about: {
  csrf: string;
  clientName: string;
  maker: Maker;
  /** Where the browser goes with the answer; undefined when it stays at the service. */
  answerAddress: AnswerAddress | undefined;
  accountName: string;
  username: string;
  /** The workspaces to choose from; never empty. */
  workspaces: readonly Workspace[];
  scopes: readonly Scope[];
  problem: Sentence | undefined;
}): Page {
  const single = about.workspaces.length === 1 ? about.workspaces[0] : undefined;
  return page(
    'allowAccess',
    (speech) =>
      markup`<h1>${speech.text('connectApp', { app: about.clientName })}</h1>
        ${madeBy(speech, about.maker)}
        ${signedInAs(speech, about)} ${problemBox(speech, about.problem)}
        <dl>
          <dt>${speech.text('itWillBeAbleTo')}</dt>
          <dd>
            <ul>
              ${about.scopes.map((scope) => markup`<li>${speech.text(SCOPE_WORDS[scope])}</li>`)}
            </ul>
          </dd>
          ${
            single &&
            markup`<dt>${speech.text('inTheWorkspace')}</dt>
            <dd>${single.name}</dd>`
          }
          ${about.answerAddress && answerGoesTo(speech, about.answerAddress)}
        </dl>
        <p class="small soft">${speech.text('allowOnlyIf')}</p>
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          ${single === undefined ? workspaceChoice(speech, about.workspaces) : undefined}
          <div class="choices">
            <button type="submit" name="decision" value="deny" class="quiet" formnovalidate>
              ${speech.text('deny')}
            </button>
            <button type="submit" name="decision" value="allow">${speech.text('allow')}</button>
          </div>
        </form>`,
  );
}

function answerGoesTo(speech: Speech, { host, isThisComputer }: AnswerAddress): Html {
  return markup`<dt>${speech.text('answerGoesTo')}</dt>
            <dd>${isThisComputer ? speech.text('thisComputer', { address: host }) : host}</dd>`;
}

/** Says who made the app: anybody who owns a workspace can register an app under any name. */
function madeBy(speech: Speech, maker: Maker): Html {
  return markup`<p class="box small">
    ${
      maker === 'platform'
        ? speech.text('officialApp')
        : speech.text('appMadeBy', { workspace: maker.workspaceName })
    }
  </p>`;
}

/** No workspace is preselected: photos in the wrong workspace are seen by the wrong people. */
function workspaceChoice(speech: Speech, workspaces: readonly Workspace[]): Html {
  return markup`<fieldset>
    <legend>${speech.text('inWhichWorkspace')}</legend>
    ${workspaces.map(
      ({ id, name }) =>
        markup`<label class="option"
          ><input type="radio" name="workspace" value="${id}" required /> ${name}</label
        >`,
    )}
  </fieldset>`;
}
