import { addNoticesOfEvent, workspaceIdsOf } from '../identity/index.js';
import type { EventDeclaration } from '../kernel/events/event.js';
import { eventAppender } from '../kernel/events/event-log.js';
import { addDeliveriesOfEvent } from '../workspace/index.js';
import { modules } from './modules.js';

/** The events of all modules. */
export const EVENTS: readonly EventDeclaration[] = Object.values(modules()).flatMap(
  ({ events }) => events,
);

/** Stores an event, and adds its notices and its deliveries to webhooks. */
export const appendEvent = eventAppender(workspaceIdsOf, [addNoticesOfEvent, addDeliveriesOfEvent]);
