import { signedInAs, type Scope, type Workspace } from '../../identity/index.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import { displayAddress, type NetworkRelation } from '../../kernel/http/request/client-address.js';
import type { DeviceInfo } from '../device/device-info.js';
import { SCOPE_WORDS } from './scope-words.js';
import { message, type Duration, type Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';

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

/** The computer that a code was requested from, as its app described it. */
export interface ConsentDevice {
  readonly info: DeviceInfo;
  readonly relation: NetworkRelation;
  readonly browserAddress: string;
  /** The time since the code was requested, in seconds. */
  readonly ageSeconds: number;
  /** Whether the user has to choose a number in the app after Allow, in one of the workspaces at least. */
  readonly isNumberNeeded: boolean;
}

/** The consent page: the app, its scopes and the workspace. It posts to the page's address. */
export function consentPage(about: {
  csrf: string;
  clientName: string;
  creator: ClientCreator;
  /** Where the browser goes with the answer; undefined when it stays at the service. */
  answerAddress: AnswerAddress | undefined;
  /** Undefined for another kind of sign-in than that with a code. */
  device: ConsentDevice | undefined;
  accountName: string;
  username: string;
  /** See {@link signedInAs}. */
  companyName: string | undefined;
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
      html`<h1>${translator.html('connectApp', { app: about.clientName })}</h1>
        ${madeBy(translator, about.creator)} ${signedInAs(translator, about)}
        ${errorBox(translator, about.problem)}
        ${about.device && otherNetwork(translator, about.device)}
        <dl>
          ${about.device && requestingDevice(translator, about.device)}
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
              <dd>${verbatim(single.name)}</dd>`
          }
          ${about.answerAddress && answerGoesTo(translator, about.answerAddress)}
        </dl>
        <p class="small soft">
          ${translator.t('allowOnlyIf')}
          ${about.device?.isNumberNeeded === true ? translator.t('numberFollows') : undefined}
        </p>
        <form method="post">
          <input type="hidden" name="csrf" value="${about.csrf}" />
          ${single === undefined ? workspaceChoice(translator, about.workspaces) : undefined}
          ${choices(translator, about.device)}
        </form>`,
  );
}

/** Deny comes first, so Enter chooses it. It is also the prominent one when the app is on another network. */
function choices(translator: Translator, device: ConsentDevice | undefined): Html {
  const isForeign = device?.relation === 'different';
  return html`<div class="choices">
    <button
      type="submit"
      name="decision"
      value="deny"
      class="${isForeign ? '' : 'quiet'}"
      formnovalidate
    >
      ${translator.t('deny')}
    </button>
    <button type="submit" name="decision" value="allow" class="${isForeign ? 'quiet' : ''}">
      ${translator.t('allow')}
    </button>
  </div>`;
}

/** The app, its computer, and when and where the sign-in began. The app is believed in nothing else. */
function requestingDevice(
  translator: Translator,
  { info, relation, ageSeconds, browserAddress }: ConsentDevice,
): Html {
  const { app, os, name } = info;
  const [first, ...others] = [name, app, os].filter((fact) => fact !== undefined);
  const time: Duration =
    ageSeconds < 100
      ? { amount: ageSeconds, unit: 'second' }
      : { amount: Math.round(ageSeconds / 60), unit: 'minute' };
  return html`${
      first === undefined
        ? undefined
        : html`<dt>${translator.t('requestedFrom')}</dt>
            <dd>
              ${verbatim(first)}
              ${
                others.length === 0
                  ? undefined
                  : html`<p>
                      ${others.map((fact, at) => html`${at === 0 ? '' : ' · '}${verbatim(fact)}`)}
                    </p>`
              }
            </dd>`
    }
    <dt>${translator.t('started')}</dt>
    <dd>${startedText(translator, { time, relation, browserAddress, address: info.address })}</dd>`;
}

/** @param about `address`: that of the app; empty for a code from before an upgrade of the service */
function startedText(
  translator: Translator,
  about: {
    readonly time: Duration;
    readonly relation: NetworkRelation;
    readonly browserAddress: string;
    readonly address: string;
  },
): Html {
  const { time, relation, browserAddress } = about;
  if (relation === 'same') {
    return translator.html('startedHere', { time, address: displayAddress(browserAddress) });
  }
  if (about.address === '') {
    return translator.html('startedAgo', { time });
  }
  const address = displayAddress(about.address);
  return relation === 'different'
    ? translator.html('startedElsewhere', { time, address })
    : translator.html('startedFrom', { time, address });
}

/** Warns when app and browser are not on one network, as they are on one computer. */
function otherNetwork(
  translator: Translator,
  { relation, browserAddress }: ConsentDevice,
): Html | undefined {
  if (relation === 'same') {
    return undefined;
  }
  const address = displayAddress(browserAddress);
  return html`<div class="problem" role="note">
    <p>
      <strong
        >${
          relation === 'different'
            ? translator.html('otherNetwork', { address })
            : translator.html('unknownNetwork', { address })
        }</strong
      >
    </p>
    <p>${translator.t('otherNetworkAdvice')}</p>
  </div>`;
}

function answerGoesTo(translator: Translator, { host, isThisComputer }: AnswerAddress): Html {
  return html`<dt>${translator.t('answerGoesTo')}</dt>
    <dd>
      ${isThisComputer ? translator.html('thisComputer', { address: host }) : verbatim(host)}
    </dd>`;
}

/** Names the creator of the app: every owner of a workspace can register an app under any name. */
function madeBy(translator: Translator, creator: ClientCreator): Html {
  return html`<p class="box small">
    ${
      creator === 'platform'
        ? translator.t('officialApp')
        : translator.html('appMadeBy', { workspace: creator.workspaceName })
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
          ><input type="radio" name="workspace" value="${id}" required /> ${verbatim(name)}</label
        >`,
    )}
  </fieldset>`;
}
