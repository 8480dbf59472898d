import { clear, createStore } from 'idb-keyval';

import { createBrowserHost } from '../../../src/host/browser.js';
import { createBrowserSecrets, createBrowserSpool } from '../../../src/host/browser/database.js';
import type { Host } from '../../../src/host/host.js';
import type { PhotoSource } from '../../../src/host/photo-source.js';
import type { Spool } from '../../../src/host/spool.js';
import type { Xhr } from '../../../src/host/http.js';
import { hostClock } from '../../../src/host/system.js';
import { SECRET_KEYS, writeSession } from '../../../src/oauth/session/session-codec.js';
import { Panel } from '../../../src/panel/panel.js';
import { loadTranslations } from '../../../src/ui/i18n/load-translations.js';
import { createPlugin, type Plugin } from '../../../src/plugin.js';
import { createClient, SMALL_CONCURRENCY } from '../../../src/config.js';
import type { Destination, UploadPath } from './upload-path.js';

/** Bytes of one request where nothing else is said; as in the built plugin. */
const CHUNK_BYTES = 8 * 1024 * 1024;

/** How long the list of a working plugin may stay as it is, in milliseconds. The plugin's time limits are shorter. */
const STOPPED_MS = 150_000;

/**
 * The plugin whole, its panel included, in the browser host. The photos are in its list and spool before
 * the time starts; from then on it opens, sends, confirms and clears away each of them.
 */
export const plugin: UploadPath = (files, to) => queued(files, to, (host) => host);

/** The same with a spool that hands ArrayBuffers over, as the one of UXP does. */
export const pluginArrayBuffer: UploadPath = (files, to) =>
  queued(files, to, (host) => ({ ...host, spool: inMemory(host.spool) }));

/** The plugin from the user's choice on: it makes every photo safe in its spool first. */
export const pluginFromPick: UploadPath = async (files, to) => {
  const { plugin: started, pick } = await start(to, (host) => host);
  return async () => {
    pick(files);
    await arrived(started, files.length);
  };
};

async function queued(
  files: readonly File[],
  to: Destination,
  change: (host: Host) => Host,
): Promise<() => Promise<void>> {
  const { plugin: started, pick } = await start(to, change);
  started.uploads.pause();
  pick(files);
  await until(started, ({ waiting }) => waiting === files.length);
  return async () => {
    started.uploads.resume();
    await arrived(started, files.length);
  };
}

async function start(
  to: Destination,
  change: (host: Host) => Host,
): Promise<{ plugin: Plugin; pick: (files: readonly File[]) => void }> {
  // The last photo of an earlier measurement may not have been cleared away when its page closed.
  for (const name of ['records', 'spool']) {
    await clear(createStore(`creative-workspace-${name}`, 'values'));
  }
  const now = Date.now();
  const session = {
    accessToken: to.accessToken,
    refreshToken: null,
    obtainedAt: now,
    expiresAt: now + 3_600_000,
  };
  await createBrowserSecrets(hostClock).set(SECRET_KEYS.session, writeSession(session));
  let picked: readonly PhotoSource[] = [];
  const browserHost = createBrowserHost(
    {
      creativeApp: undefined,
      language: 'en-US',
      body: document.body,
      createXhr,
      openWindow: () => null,
      writeClipboard: () => Promise.resolve(),
      listen: () => undefined,
    },
    '0.0.0',
  );
  const host = change({ ...browserHost, pickPhotos: () => Promise.resolve(picked) });
  const started = createPlugin(host, {
    client: createClient(to.baseUrl, 'creative-workspace-plugin', 'uploads:write'),
    pluginVersion: '0.0.0',
    concurrency: to.concurrency,
    smallConcurrency: SMALL_CONCURRENCY,
    chunkBytes: CHUNK_BYTES,
  });
  showPanel(host, started);
  await started.restore();
  return {
    plugin: started,
    pick: (files) => {
      picked = files.map((file) => ({
        name: file.name,
        type: file.type,
        copyToSpool: (id) => createBrowserSpool(hostClock).copy(id, file),
      }));
      void started.panel.context.actions.addPhotos();
    },
  };
}

/** Refusals of the service, for the message of a failed measurement. */
const refusals: string[] = [];

function createXhr(): Xhr {
  const xhr = new XMLHttpRequest();
  xhr.addEventListener('loadend', () => {
    if (xhr.status >= 400) {
      refusals.push(`${xhr.status} ${new URL(xhr.responseURL).pathname} ${xhr.responseText}`);
    }
  });
  return xhr as unknown as Xhr;
}

function showPanel(host: Host, started: Plugin): void {
  const panel = new Panel({
    clock: host.clock,
    translations: loadTranslations(
      'en',
      () => Promise.resolve(null),
      () => undefined,
    ).translations,
    panel: started.panel,
    host,
    isUnsupported: false,
    diagnostics: () => started.diagnostics(),
    onUnexpectedError: (fault) => {
      started.onUnexpectedError(fault);
    },
  });
  panel.show(document.body);
}

function inMemory(spool: Spool): Spool {
  return {
    ...spool,
    open: async (id) => {
      const reader = await spool.open(id);
      return {
        ...reader,
        read: async (start, end) => {
          const body = await reader.read(start, end);
          return body instanceof Blob ? body.arrayBuffer() : body;
        },
      };
    },
  };
}

function arrived(started: Plugin, count: number): Promise<void> {
  return until(started, ({ uploaded, failed }) => {
    if (failed > 0) {
      const codes = started.panel.state.photos.get().map(({ record }) => record.failure ?? '');
      throw new Error(`${failed} photos failed: ${codes.join(' ').trim()}; ${refusals.join('; ')}`);
    }
    return uploaded === count;
  });
}

type Summary = ReturnType<Plugin['panel']['state']['summary']['get']>;

/** Waits until the list has a state. @throws {Error} with the plugin's diagnostics when nothing on the list changes any more */
function until(started: Plugin, isThere: (summary: Summary) => boolean): Promise<void> {
  const { state: stores } = started.panel;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stopped = (): void => {
      reject(new Error(`the plugin has stopped:\n${started.diagnostics()}`));
    };
    const look = (): void => {
      clearTimeout(timer);
      try {
        if (isThere(stores.summary.get())) {
          resolve();
        } else {
          timer = setTimeout(stopped, STOPPED_MS);
        }
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    stores.summary.subscribe?.(look);
    look();
  });
}
