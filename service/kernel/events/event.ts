import type { Html } from '../html-tag.js';
import type { Message, PlainKey } from '../i18n/message.js';
import type { Translator } from '../i18n/translator.js';

/** A group of events: owners filter by it, and choose with it what a webhook gets. */
export interface EventKind {
  /** The part of public types before the dot. */
  readonly name: string;
  readonly label: PlainKey;
  /**
   * Who may see its events. `account`: the user, and the owners of all workspaces of the user. `workspace`: the owners of
   * the workspace, and the user who acted or was affected.
   */
  readonly audience: 'account' | 'workspace';
  /** Its sentences name the app that made the request. */
  readonly namesApp?: true;
}

/** The public type of an event: the name of its kind, a dot, and what happened. */
export type EventType = `${string}.${string}`;

/** What an event is about, beside the users and the workspace: ids and descriptions as they were. None is a secret. */
export type EventAbout = Readonly<Record<string, string | number | undefined>>;

/** One event, as the module declares it in which it happens. */
export interface EventDeclaration {
  readonly kind: EventKind;
  /** Its name in the database and in the log. Never change it. */
  readonly action: string;
  /** Its name in exports and webhooks. Never change it. */
  readonly type: EventType;
  /** What happened, in one sentence for developers. */
  readonly description: string;
  /** The members that its `data` may have, with a value for each. */
  readonly example: Readonly<Record<string, string | number>>;
  /** What happened, in one sentence for users. Undefined for an event that is not in the activity. */
  readonly sentence?: EventSentence;
  /** The notice that the affected user or the owners of the workspace get. */
  readonly notice?: NoticeDeclaration & { readonly to: 'user' | 'owners' };
}

/** Writes a sentence. Names of users are those of today. */
export type EventSentence = (translator: Translator, parts: EventParts) => Html;

/** The values of a sentence. */
export interface EventParts {
  /** The user who acted. */
  readonly by: Html;
  /** The user who was affected. */
  readonly user: Html;
  /** Whether no user acted, but the operator, a guest or the service. */
  readonly isBySystem: boolean;
  /** The name of what was changed, as it was; `?` if it is not known. */
  readonly name: Html;
  readonly about: EventAbout;
}

/** What a user is shown until they dismiss it, and gets by mail. */
export interface NoticeDeclaration {
  /** Its name in the database. */
  readonly kind: string;
  /** @param text reads a description of what happened; undefined if it is not known */
  readonly message: (text: (name: string) => string | undefined) => Message;
  /** The page on which the user can undo what happened. */
  readonly path: string;
  /** The advice in the mail; default: to act if it was somebody else. */
  readonly advice?: PlainKey;
}

/** What happened, before it is stored. */
export interface NewEvent {
  readonly happenedAt: Date;
  readonly declaration: EventDeclaration;
  /** Undefined if it happened to an account only. */
  readonly workspaceId: string | undefined;
  /** The id of the affected account; undefined if there is none. */
  readonly accountId: string | undefined;
  /** The id of the account that acted; undefined for guests, jobs and the operator. */
  readonly by: string | undefined;
  readonly about: EventAbout;
}

/** A user in an event. */
export interface EventUser {
  readonly id: string;
  /** Both are missing for a deleted account. */
  readonly username?: string;
  readonly name?: string;
}

/** An event as webhooks and exports show it: the envelope of [Standard Webhooks](https://www.standardwebhooks.com/). */
export interface PublicEvent {
  readonly type: EventType;
  /** When it happened, as ISO 8601. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The kinds of events, each once, in the order of the events. */
export function kindsOf(events: readonly EventDeclaration[]): readonly EventKind[] {
  return [...new Set(events.map(({ kind }) => kind))];
}

/**
 * An event as webhooks and exports show it.
 * @param id that of the stored event
 * @param users the users who still have an account, by id
 */
export function publicEvent(
  { declaration, happenedAt, accountId, by, about, ...event }: NewEvent & { readonly id: string },
  users: ReadonlyMap<string, EventUser>,
): PublicEvent {
  const { network, userAgent, ...more } = about;
  return {
    type: declaration.type,
    timestamp: happenedAt.toISOString(),
    data: {
      id: event.id,
      workspace_id: event.workspaceId ?? null,
      user: userIn(users, accountId) ?? null,
      by: userIn(users, by) ?? null,
      network: network ?? null,
      user_agent: userAgent ?? null,
      ...more,
    },
  };
}

/** The user with an id; without names for a deleted account. */
export function userIn(
  users: ReadonlyMap<string, EventUser>,
  id: string | undefined,
): EventUser | undefined {
  return id === undefined ? undefined : (users.get(id) ?? { id });
}
