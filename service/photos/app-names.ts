import type { Provider } from 'oidc-provider';
import { PERSONAL_CLIENT } from '../oauth/bearer.js';
import { sentence, type Sentence } from '../pages/sentence.js';
import type { Photo } from './photo.js';

/** What people call apps, by their client id. */
export type AppNames = (clientId: string) => string | Sentence;

/** Looks up the names of the apps through which photos came. One that is no longer registered has its id. */
export async function appNamesOf(provider: Provider, photos: readonly Photo[]): Promise<AppNames> {
  const ids = [...new Set(photos.map(({ clientId }) => clientId))];
  const found = ids.map(async (id): Promise<[string, string]> => {
    const client = id === PERSONAL_CLIENT ? undefined : await provider.Client.find(id);
    return [id, client?.clientName ?? id];
  });
  const names = new Map(await Promise.all(found));
  return (id) => (id === PERSONAL_CLIENT ? sentence('personalToken') : (names.get(id) ?? id));
}
