import { apiScopes } from '../oauth/scopes.js';
import { markup, type Html } from '../pages/html.js';
import { SCOPE_WORDS } from '../pages/scopes.js';
import type { PlainKey } from '../pages/sentence.js';
import type { Speech } from '../pages/speech.js';

/** A list of things; nothing where there is none. */
export function cards(items: readonly Html[]): Html | undefined {
  return items.length === 0 ? undefined : markup`<ul class="cards">${items}</ul>`;
}

/** What an application is called, by where it runs. */
export function kind(confidential: boolean): PlainKey {
  return confidential ? 'confidential' : 'public';
}

/** What scopes allow, in words. */
export function scopeWords(speech: Speech, scope: string): string {
  return apiScopes(scope)
    .map((one) => speech.text(SCOPE_WORDS[one]))
    .join(' · ');
}

/** When something was used last. */
export function lastUsed(speech: Speech, date: Date | undefined): Html {
  return date === undefined
    ? speech.html('notUsedYet')
    : speech.html('lastUsed', { time: speech.time(date) });
}
