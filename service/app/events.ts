import { workspaceIdsOf } from '../identity/index.js';
import type { EventDeclaration } from '../kernel/events/event.js';
import { eventAppender } from '../kernel/events/event-log.js';
import { modules } from './modules.js';

const all = Object.values(modules());

/** The events of all modules. */
export const EVENTS: readonly EventDeclaration[] = all.flatMap(({ events }) => events);

/** Stores an event, and passes it to the modules that receive events. */
export const appendEvent = eventAppender(
  workspaceIdsOf,
  all.flatMap(({ onEvent }) => onEvent ?? []),
);
