import type { Scope } from '../../auth/scopes.js';
import type { Workspace } from '../../auth/accounts/accounts.js';
import { html, type Html } from '../../platform/html-tag.js';
import { page, errorBox, type Page } from '../../platform/html/layout.js';
import { SCOPE_WORDS } from './scope-words.js';
import { message, type Message } from '../../platform/i18n/message.js';
import { signedInAs } from './signed-in-as.js';
import type { Translator } from '../../platform/i18n/translator.js';

/** The creator of an app. */
export type ClientCreator =
  | 'platform'
  /** The owner of the workspace with this name. */
  | { readonly workspaceName: string };

/** The redirect target of the answer, in readable form. */
export interface AnswerAddress {
  /** The host name, with the port unless it is the default one. */
  readonly host: string;
  readonly isThisComputer: boolean;
}

/** The consent page: the app, its scopes and the workspace. It posts to the page's address. */
export function consentPage(about: {
  csrf: string;
  clientName: string;
  creator: ClientCreator;
  /** Where the browser goes with the answer; undefined when it stays at the service. */
  answerAddress: AnswerAddress | undefined;
  accountName: string;
  username: string;
  /** The workspaces to choose from; never empty. */
  workspaces: readonly Workspace[];
  scopes: readonly Scope[];
  /** Those of them that the app does not have yet; empty for an app that is not connected. */
  newScopes: readonly Scope[];
  problem: Message | undefined;
}): Page {
  const single = about.workspaces.length === 1 ? about.workspaces[0] : undefined;
  return page(
    'allowAccess',
    (translator) =>
      html`<h1>${translator.t('connectApp', { app: about.clientName })}</h1>
        ${madeBy(translator, about.creator)} ${signedInAs(translator, about)}
        ${errorBox(translator, about.problem)}
        <dl>
          <dt>${translator.t('itWillBeAbleTo')}</dt>
          <dd>
            <ul>
              ${about.scopes.map((scope) =>
                about.newScopes.includes(scope)
                  ? html`<li>
                      <strong
                        >${translator.t('newScope', { scope: message(SCOPE_WORDS[scope]) })}</strong
                      >
                    </li>`
                  : html`<li>${translator.t(SCOPE_WORDS[scope])}</li>`,
              )}
            </ul>
          </dd>
          ${
            single &&
            html`<dt>${translator.t('inTheWorkspace')}</dt>
              <dd>${single.name}</dd>`
          }
          ${about.answerAddress && answerGoesTo(translator, about.answerAddress)}
        </dl>
        <p class="small soft">${translator.t('allowOnlyIf')}</p>
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          ${single === undefined ? workspaceChoice(translator, about.workspaces) : undefined}
          <div class="choices">
            <button type="submit" name="decision" value="deny" class="quiet" formnovalidate>
              ${translator.t('deny')}
            </button>
            <button type="submit" name="decision" value="allow">${translator.t('allow')}</button>
          </div>
        </form>`,
  );
}

function answerGoesTo(translator: Translator, { host, isThisComputer }: AnswerAddress): Html {
  return html`<dt>${translator.t('answerGoesTo')}</dt>
    <dd>${isThisComputer ? translator.t('thisComputer', { address: host }) : host}</dd>`;
}

/** Names the creator of the app: every owner of a workspace can register an app under any name. */
function madeBy(translator: Translator, creator: ClientCreator): Html {
  return html`<p class="box small">
    ${
      creator === 'platform'
        ? translator.t('officialApp')
        : translator.t('appMadeBy', { workspace: creator.workspaceName })
    }
  </p>`;
}

/** No workspace is preselected: the wrong users would see photos in the wrong workspace. */
function workspaceChoice(translator: Translator, workspaces: readonly Workspace[]): Html {
  return html`<fieldset>
    <legend>${translator.t('inWhichWorkspace')}</legend>
    ${workspaces.map(
      ({ id, name }) =>
        html`<label class="option"
          ><input type="radio" name="workspace" value="${id}" required /> ${name}</label
        >`,
    )}
  </fieldset>`;
}
