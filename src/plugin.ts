import { RequestQueue } from './api/request-queue.js';
import { createTransport } from './api/transport.js';
import { toCwError } from './base/errors.js';
import { randomFraction, randomId } from './base/random-id.js';
import { Redactor } from './base/redact.js';
import type { Host } from './host/host.js';
import { Revocations } from './oauth/revocations.js';
import { Session } from './oauth/session.js';
import { SignIn } from './oauth/sign-in.js';
import { Panel } from './panel/panel.js';
import { en } from './panel/strings/en.js';
import type { Settings } from './settings.js';
import { UploadList } from './uploads/upload-list.js';
import { Uploader } from './uploads/uploader.js';

/** Must match the panel's id in manifest.json. */
const PANEL_ID = 'creativeWorkspacePanel';

/** Builds the plugin's parts for a host and wires them. Nothing slow happens before the panel is drawn. */
export function startPlugin(host: Host, settings: Settings): void {
  const { clock } = host;
  const { client } = settings;
  const redactor = new Redactor();
  const random = (): number => randomFraction(host.randomBytes);
  const send = createTransport({
    createXhr: () => host.createXhr(),
    clock,
    origin: client.origin,
  });
  const oauth = { send, client, secrets: host.secrets, clock, random, redactor };
  const revocations = new Revocations(oauth);
  const session = new Session({ ...oauth, revocations });
  const signIn = new SignIn({
    ...oauth,
    session,
    openInBrowser: (url) => host.openInBrowser(url),
  });
  const queue = new RequestQueue({
    send,
    session,
    clock,
    random,
    concurrency: settings.concurrency,
  });
  const list = new UploadList({
    records: host.records,
    spool: host.spool,
    now: () => clock.now(),
    newId: () => randomId(host.randomBytes),
  });
  const uploader = new Uploader({
    list,
    queue,
    spool: host.spool,
    clock,
    random,
    endpoint: `${client.baseUrl}/api/v1/uploads`,
    chunkBytes: settings.chunkBytes,
    concurrency: settings.concurrency,
    isConnected: () => session.state.get().kind === 'signed-in',
  });
  const onFault = (fault: unknown): void => {
    const error = toCwError(fault, 'CW-901', 'a fault of the plugin');
    console.error(redactor.redact(error.message));
  };

  session.state.subscribe((state) => {
    if (state.kind === 'signed-in') uploader.release();
    else uploader.stopAll();
  });

  const panel = new Panel({
    clock,
    strings: en,
    onFault,
    sources: {
      session: session.state,
      signIn: signIn.state,
      queue: queue.state,
      uploader: uploader.state,
      summary: list.summary,
      photos: (start, count) => list.slice(start, count),
    },
    intents: {
      connect: () => {
        signIn.start();
      },
      cancelSignIn: () => {
        signIn.cancel();
      },
      getNewCode: () => {
        signIn.startOver();
      },
      openBrowser: () => signIn.openBrowser(),
      copyText: (text) => host.copyText(text),
      // Making photos safe goes on by itself: the button is free again as soon as the picker has closed.
      addPhotos: async () => {
        const photos = await host.pickPhotos();
        void uploader.addPhotos(photos).catch(onFault);
      },
      pause: () => {
        uploader.pause();
      },
      resume: () => {
        uploader.resume();
      },
      retry: (id) => uploader.retry(id),
      retryAllFailed: () => uploader.retryAllFailed(),
      remove: (id) => uploader.remove(id),
      dismissRefused: () => {
        uploader.dismissRefused();
      },
      disconnect: () => session.disconnect(),
    },
  });

  host.mountPanel({
    id: PANEL_ID,
    show: (root) => {
      panel.show(root);
    },
  });

  const restore = async (): Promise<void> => {
    await uploader.restore();
    await session.load();
    await signIn.resume();
  };
  void restore().catch(onFault);
}
