import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import type { Translations } from '../../ui/i18n/translations.js';
import type { PartSources, Source } from '../../ui/view.js';
import type { SelectsPanel } from './panel.js';
import { Selects } from './selects.js';

export function startSelects(
  { folders, records, clock }: Pick<Host, 'folders' | 'records' | 'clock'>,
  {
    requests,
    api,
    client,
    account,
    owner,
  }: Pick<Connection, 'requests' | 'api' | 'client' | 'account' | 'owner'>,
  translations: Source<Translations>,
): { readonly selects: Pick<Selects, 'restore'>; readonly panel: PartSources<SelectsPanel> } {
  const selects = new Selects({
    ...{ folders, records, clock, requests, api, account, owner },
    baseUrl: client.baseUrl,
    language: () => translations.get().language,
  });
  return {
    selects,
    panel: {
      state: { selects: selects.state },
      context: {
        actions: {
          answeredLinks: () => selects.answeredLinks(),
          chooseSelectsLink: (link) => selects.chooseLink(link),
          chooseSelectsFolder: () => selects.chooseFolder(),
          setReplacing: (isReplacing) => selects.setReplacing(isReplacing),
          setIntoFiles: (isIntoFiles) => selects.setIntoFiles(isIntoFiles),
          showSelects: () => selects.show(),
          writeSelects: () => selects.write(),
          undoSelects: () => selects.undo(),
          cancelSelects: () => selects.cancel(),
        },
      },
    },
  };
}
