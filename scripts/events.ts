import { EVENTS } from '../service/app/events.js';
import { kindsOf, type EventKind } from '../service/kernel/events/event.js';

const AUDIENCES: Readonly<Record<EventKind['audience'], string>> = {
  account:
    'The user sees them, and so do the owners of all workspaces of the user. Each workspace gets them once.',
  workspace:
    'The owners of the workspace see them, and so does the user who acted or was affected.',
};

/** docs/events.md: one section for each kind, one item for each event. */
export function eventList(): string {
  return `# Events

All events with the members of \`data\` that they may have beside the [common ones](http-api.md#events-and-webhooks). \`npm run generate\` writes this page
from the \`events.ts\` of each feature.

${kindsOf(EVENTS).map(section).join('\n')}`;
}

function section(kind: EventKind): string {
  const events = EVENTS.filter((one) => one.kind === kind).map(
    ({ type, description, example }) =>
      `- \`${type}\`: ${description}${Object.keys(example).length === 0 ? '' : `\n  \`${JSON.stringify(example)}\``}\n`,
  );
  return `## ${kind.name}\n\n${AUDIENCES[kind.audience]}\n\n${events.join('')}`;
}
