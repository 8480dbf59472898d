import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { kindsOf, publicEvent, type EventDeclaration } from '../../kernel/events/event.js';
import { listEvents } from '../../kernel/events/event-log.js';
import { type PageHandler, eventUsers } from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';
import { notFoundPage } from '../../site/error-pages.js';
import { sendPage } from '../../kernel/http/responses.js';
import type { ConcurrencyLimit } from '../../kernel/single-flight.js';
import { disposition, fileNameOf, refuseDownload, setFileHeaders } from '../../library/index.js';
import { readFilter, type ActivityFilter } from './activity-filter.js';

export interface ActivityExportDeps {
  readonly database: Queryable;
  /** The events of all modules. */
  readonly events: readonly EventDeclaration[];
  /** Limits the open downloads of each user. */
  readonly open: ConcurrencyLimit;
  readonly now: () => Date;
}

/** How many events are in memory at a time. */
const BATCH = 500;

/** Sends the activity of a workspace to an owner as [JSON Lines](https://jsonlines.org/), oldest event first. */
export function exportActivity(deps: ActivityExportDeps): PageHandler {
  const { events, open, now } = deps;
  return async (context) => {
    const { query, memberships, account, response } = context;
    const filter = readFilter(query, memberships, kindsOf(events));
    if (filter === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const name = `activity-${filter.workspace.name}-${now().toISOString().slice(0, 10)}`;
    const isAllowed = await open.run(account.id, () => send(response, deps, filter, name));
    if (!isAllowed) {
      refuseDownload(context);
    }
  };
}

async function send(
  response: ServerResponse,
  deps: ActivityExportDeps,
  filter: ActivityFilter,
  name: string,
): Promise<void> {
  setFileHeaders(response);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'application/jsonl; charset=utf-8');
  response.setHeader('Content-Disposition', disposition(fileNameOf(name, 'jsonl')));
  await pipeline(Readable.from(lines(deps, filter), { objectMode: false }), response);
}

async function* lines(
  { database, events }: ActivityExportDeps,
  { workspace, kind, user }: ActivityFilter,
): AsyncGenerator<string> {
  const about = { of: { workspaceId: workspace.id }, kind, user, limit: BATCH };
  let after: string | undefined = '0';
  while (after !== undefined) {
    const found = await listEvents(database, events, { ...about, after });
    const users = await eventUsers(
      database,
      found.flatMap(({ accountId, by }) => [accountId, by]),
    );
    yield found.map((event) => `${JSON.stringify(publicEvent(event, users))}\n`).join('');
    after = found.length === BATCH ? found.at(-1)?.id : undefined;
  }
}
