import type { Provider } from 'oidc-provider';
import { BROWSER_CLIENT, PERSONAL_CLIENT } from '../../../oauth/index.js';
import { message, type Message } from '../../../kernel/i18n/message.js';
import type { Photo } from './photo.js';

/** What is no registered app. */
const OWN_CLIENTS: ReadonlyMap<string, Message> = new Map([
  [PERSONAL_CLIENT, message('personalToken')],
  [BROWSER_CLIENT, message('browser')],
]);

/** Gives the name of an app by its client id. */
export type AppNames = (clientId: string) => string | Message;

/** Looks up the names of the apps that sent these photos. An app that is no longer registered is named by its id. */
export async function appNamesOf(provider: Provider, photos: readonly Pick<Photo, 'clientId'>[]): Promise<AppNames> {
  const ids = [...new Set(photos.map(({ clientId }) => clientId))];
  const found = ids.map(async (id): Promise<[string, string]> => {
    const client = OWN_CLIENTS.has(id) ? undefined : await provider.Client.find(id);
    return [id, client?.clientName ?? id];
  });
  const names = new Map(await Promise.all(found));
  return (id) => OWN_CLIENTS.get(id) ?? names.get(id) ?? id;
}
