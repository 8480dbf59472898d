import {
  kindsOf,
  type EventDeclaration,
  type EventKind,
  type EventUser,
} from '../../kernel/events/event.js';
import { listEvents, type EventFilter, type StoredEvent } from '../../kernel/events/event-log.js';
import {
  nameBrowser,
  renderShell,
  type Members,
  type Member,
  type AuthenticatedRequest,
  type PageHandler,
  type PageShell,
  eventUsers,
} from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { notFoundPage } from '../../site/error-pages.js';
import { selectedAttr } from '../../kernel/html/form-fields.js';
import type { Page } from '../../kernel/html/layout.js';
import { displayAddress } from '../../kernel/http/request/client-address.js';
import { sendPage } from '../../kernel/http/responses.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { readFilter, writeFilter, type ActivityFilter } from './activity-filter.js';
import { eventSentence } from './event-sentence.js';

export interface ActivityPageDeps {
  readonly database: Queryable;
  /** The events of all modules. */
  readonly events: readonly EventDeclaration[];
  readonly members: Pick<Members, 'of'>;
}

const PAGE_SIZE = 50;

/** One page of events, with the ids from which the pages before and after it begin. */
interface EventPage {
  readonly events: readonly StoredEvent[];
  /** The users of the events, by id. */
  readonly users: ReadonlyMap<string, EventUser>;
  readonly older: string | undefined;
  readonly newer: string | undefined;
}

/** What an owner can choose in the filter, and what they chose. */
interface FilterChoices {
  readonly filter: ActivityFilter;
  readonly kinds: readonly EventKind[];
  readonly people: readonly Member[];
}

/** Shows an owner what happened in a workspace. */
export function activity(deps: ActivityPageDeps): PageHandler {
  const { events, members } = deps;
  // Uploads have no events in the activity: they are the photos themselves.
  const kinds = kindsOf(events.filter(({ sentence }) => sentence !== undefined));
  return async (context) => {
    const { query, memberships, shell } = context;
    const filter = readFilter(query, memberships, kinds);
    if (filter === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const { workspace, kind, user } = filter;
    const found = await eventPage(deps, context, {
      ...{ of: { workspaceId: workspace.id }, kind, user },
    });
    const people = await members.of(workspace.id);
    sendPage(context, 200, activityPage({ ...shell, workspace }, { filter, kinds, people }, found));
  };
}

/** Shows users what happened to their own account, in every workspace that the session reaches. */
export function ownActivity(deps: Pick<ActivityPageDeps, 'database' | 'events'>): PageHandler {
  return async (context) => {
    const { account, shell } = context;
    const { company } = context.session;
    const of =
      company === undefined
        ? { of: { accountId: account.id } }
        : { of: { workspaceId: company }, user: account.id };
    const found = await eventPage(deps, context, of);
    const page = renderShell(
      'ownActivity',
      'account',
      shell,
      (translator) =>
        html`<h1>${translator.t('ownActivity')}</h1>
          <p class="soft">${translator.t('ownActivityText')}</p>
          ${eventList(translator, found, false, (more) => `${SETTINGS.ownActivity}?${new URLSearchParams(more).toString()}`)}`,
    );
    sendPage(context, 200, page);
  };
}

async function eventPage(
  { database, events: declared }: Pick<ActivityPageDeps, 'database' | 'events'>,
  { query }: AuthenticatedRequest,
  filter: Omit<EventFilter, 'limit'>,
): Promise<EventPage> {
  const idOf = (name: string): string | undefined => /^\d{1,18}$/.exec(query.get(name) ?? '')?.[0];
  const after = idOf('after');
  const before = after === undefined ? idOf('before') : undefined;
  // One more than the page has shows whether another page follows.
  const found = await listEvents(database, declared, {
    ...filter,
    before,
    after,
    limit: PAGE_SIZE + 1,
  });
  const hasMore = found.length > PAGE_SIZE;
  const kept = found.slice(0, PAGE_SIZE);
  const events = after === undefined ? kept : kept.reverse();
  const hasOlder = after === undefined ? hasMore : events.length > 0;
  const hasNewer = after === undefined ? before !== undefined : hasMore;
  const users = await eventUsers(
    database,
    events.flatMap(({ accountId, by }) => [accountId, by]),
  );
  return {
    events,
    users,
    older: hasOlder ? events.at(-1)?.id : undefined,
    newer: hasNewer ? events[0]?.id : undefined,
  };
}

function activityPage(shell: PageShell, choices: FilterChoices, found: EventPage): Page {
  const { filter } = choices;
  return renderShell(
    'activity',
    'activity',
    shell,
    (translator) =>
      html`<h1>${translator.t('activity')}</h1>
        <p class="soft">${translator.html('activityText', { workspace: filter.workspace.name })}</p>
        ${filterForm(translator, choices)}
        ${eventList(translator, found, filter.kind !== undefined || filter.user !== undefined, (more) => SETTINGS.activity + writeFilter(filter, more))}`,
  );
}

function filterForm(translator: Translator, { filter, kinds, people }: FilterChoices): Html {
  const { workspace, kind, user } = filter;
  return html`<form class="fields" action="${SETTINGS.activity}">
    <input type="hidden" name="workspace" value="${workspace.id}" />
    <div>
      <label for="kind">${translator.t('eventKind')}</label>
      <select id="kind" name="kind">
        <option value="">${translator.t('allEvents')}</option>
        ${kinds.map(
          (one) =>
            html`<option value="${one.name}" ${selectedAttr(one === kind)}>
              ${translator.t(one.label)}
            </option>`,
        )}
      </select>
    </div>
    <div>
      <label for="user">${translator.t('eventUser')}</label>
      <select id="user" name="user">
        <option value="">${translator.t('everybody')}</option>
        ${people.map(
          ({ accountId, displayName }) =>
            html`<option value="${accountId}" ${selectedAttr(accountId === user)} translate="no">
              ${displayName}
            </option>`,
        )}
      </select>
    </div>
    <div><button type="submit" class="quiet">${translator.t('filter')}</button></div>
    <a href="${SETTINGS.activityExport}${writeFilter(filter)}">${translator.t('exportActivity')}</a>
  </form>`;
}

/** @param address the address of this list with these parameters in addition. */
function eventList(
  translator: Translator,
  { events, users, older, newer }: EventPage,
  isFiltered: boolean,
  address: (more: Record<string, string>) => string,
): Html {
  if (events.length === 0) {
    return html`<p>${translator.t(isFiltered ? 'noMatchingEvents' : 'noEvents')}</p>`;
  }
  return html`<ul class="rows">
      ${events.map(
        (event) =>
          html`<li>
            <div>
              <p>${eventSentence(translator, event, users)}</p>
              <p class="small soft">${place(translator, event)}</p>
            </div>
          </li>`,
      )}
    </ul>
    ${
      older === undefined && newer === undefined
        ? undefined
        : html`<p class="pager">
            ${newer && html`<a class="button quiet small" href="${address({ after: newer })}">${translator.t('eventsNewer')}</a>`}
            ${older && html`<a class="button quiet small" href="${address({ before: older })}">${translator.t('eventsOlder')}</a>`}
          </p>`
    }`;
}

/** When it happened, from which network, and in which browser or app. */
function place(translator: Translator, event: StoredEvent): Html {
  const { network } = event.about;
  const where = [
    network === undefined ? undefined : verbatim(displayAddress(String(network))),
    browserOf(translator, event) ?? appOf(translator, event),
  ];
  const known = where.filter((part) => part !== undefined);
  return html`${translator.time(event.happenedAt)}${known.map((part) => html` · ${part}`)}`;
}

function browserOf(
  translator: Translator,
  { about: { userAgent } }: StoredEvent,
): Html | undefined {
  const { browser, os } = nameBrowser(String(userAgent ?? ''));
  if (browser === undefined) {
    return undefined;
  }
  return os === undefined ? verbatim(browser) : translator.html('browserOn', { browser, os });
}

/** The app that made the request and its computer. The sentence of an event of an app names them already. */
function appOf(translator: Translator, { declaration, about }: StoredEvent): Html | undefined {
  const { app, name } = about;
  if (app === undefined || declaration.kind.namesApp === true) {
    return undefined;
  }
  return name === undefined
    ? verbatim(String(app))
    : translator.html('appOnComputer', { app: String(app), name: String(name) });
}
