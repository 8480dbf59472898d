import { userIn, type EventUser } from '../../kernel/events/event.js';
import type { StoredEvent } from '../../kernel/events/event-log.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';

/** What happened, in one sentence. Names are those of today, so that a user is recognized. */
export function eventSentence(
  translator: Translator,
  { declaration, about, by, accountId }: StoredEvent,
  users: ReadonlyMap<string, EventUser>,
): Html | undefined {
  const nameOf = (id: string | undefined): Html => {
    const user = userIn(users, id);
    return user?.name === undefined
      ? html`${translator.t(user === undefined ? 'eventAdministrator' : 'eventDeletedUser')}`
      : verbatim(user.name);
  };
  return declaration.sentence?.(translator, {
    by: nameOf(by),
    user: nameOf(accountId),
    isBySystem: by === undefined,
    name: verbatim(String(about['name'] ?? '?')),
    about,
  });
}
