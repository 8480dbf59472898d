import { apiScopes } from '../../identity/index.js';
import type { Html } from '../../kernel/html-tag.js';
import { SCOPE_WORDS } from '../../oauth/index.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';

/** The word for the kind of an application: confidential ones run on a server, public ones on the devices of users. */
export function clientKind(confidential: boolean): PlainKey {
  return confidential ? 'confidential' : 'public';
}

/** Descriptions of scopes for users. @param scope space-separated. */
export function scopeWords(translator: Translator, scope: string): string {
  return apiScopes(scope)
    .map((one) => translator.t(SCOPE_WORDS[one]))
    .join(' · ');
}

/** The text about the last use; undefined: not used yet. */
export function lastUsed(translator: Translator, date: Date | undefined): Html {
  return date === undefined
    ? translator.html('notUsedYet')
    : translator.html('lastUsed', { time: translator.time(date) });
}
