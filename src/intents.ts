import { CwError } from './base/errors.js';
import { parseHttpUrl, type HttpUrl } from './base/url.js';
import type { Host } from './host/host.js';
import type { OAuthClient } from './oauth/client.js';
import type { Session } from './oauth/session.js';
import type { DeviceSignIn } from './oauth/sign-in.js';
import type { Intents } from './panel/view.js';
import type { Uploader } from './uploads/uploader.js';

/** Quality of the JPEG that is made of what is open in the app, from 0 to 12: the best, for finished photos. */
const DOCUMENT_QUALITY = 12;

/** The parts that do what the person asks for. */
interface Doers {
  readonly session: Session;
  readonly signIn: DeviceSignIn;
  readonly uploader: Uploader;
}

/**
 * Connects each thing the person can ask for with the part that does it.
 * @param diagnostics  gives the text for support
 * @param onFault  told what fails after the request itself is over
 */
export function intentsOf(
  host: Host,
  { origin, baseUrl }: OAuthClient,
  { session, signIn, uploader }: Doers,
  diagnostics: () => string,
  onFault: (fault: unknown) => void,
): Intents {
  return {
    connect: () => {
      signIn.start();
    },
    cancelSignIn: () => {
      signIn.cancel();
    },
    getNewCode: () => {
      signIn.startOver();
    },
    checkNow: () => {
      signIn.checkNow();
    },
    openBrowser: () => signIn.openBrowser(),
    // Not awaited, so that the button is free again as soon as the picker has closed.
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
    cancelAdding: () => {
      uploader.cancelAdding();
    },
    uploadDocument: (format, title) =>
      uploader.addDocument(() => {
        if (!host.documentExporter) {
          throw new CwError('CW-804', 'this app has no document export');
        }
        return host.documentExporter.exportDocument(format, DOCUMENT_QUALITY, title);
      }),
    retry: (id) => uploader.retry(id),
    retryFailed: (failure) => uploader.retryFailed(failure),
    makeNext: (id) => uploader.makeNext(id),
    remove: (id) => uploader.remove(id),
    removeAll: () => uploader.removeAll(),
    removeFailed: (failure) => uploader.removeFailed(failure),
    clearArrived: () => uploader.clearArrived(),
    undoRemoval: () => uploader.undoRemoval(),
    clearHistory: () => uploader.clearHistory(),
    answerQuestion: (send) => uploader.answerQuestion(send),
    retryStorage: () => {
      uploader.retryStorage();
    },
    answerFound: (send) => uploader.answerFound(send),
    dismissRefused: () => {
      uploader.dismissRefused();
    },
    copyText: (text) => host.copyText(text),
    copyDiagnostics: () => host.copyText(diagnostics()),
    openPage: async (address) => {
      if (!isOnOrigin(address, origin)) {
        throw new CwError('CW-304', 'a page that is not on the service’s own origin');
      }
      await host.openInBrowser(address);
    },
    openPhotos: () => host.openInBrowser(`${baseUrl}/photos`),
    disconnect: async () => {
      if (signIn.isForAnother) {
        signIn.cancel();
      }
      await session.disconnect();
    },
  };
}

/** Whether an address is on the service's origin, so that a browser may open it. */
export function isOnOrigin(address: string, { origin }: HttpUrl): boolean {
  return parseHttpUrl(address)?.origin === origin;
}
