import { CwError } from '../../../src/util/errors.js';
import { Observable } from '../../../src/util/observable.js';
import { Panel } from '../../../src/panel/panel.js';
import { offerOf } from '../../../src/host/browser/creative-app.js';
import type { ExportOffer } from '../../../src/host/document-export.js';
import type { Host, HostInfo } from '../../../src/host/host.js';
import { diagnosticsText } from '../../../src/panel/diagnostics.js';
import type { Translations } from '../../../src/ui/i18n/translations.js';
import type { PanelParts, PanelStores } from '../../../src/panel/view.js';
import { Presets } from '../../../src/features/presets/saved-presets.js';
import type { FolderState } from '../../../src/features/folder/folder-watch.js';
import type { ShareLink } from '../../../src/features/links/share-links.js';
import type { UploadItem, UploadSummary } from '../../../src/features/queue/upload-item.js';
import { EXPORT_FORMATS } from '../export-document.js';
import { SceneClock } from './clock.js';
import { picture } from './drawn-landscape.js';
import { ownPreset } from './scenes-presets.js';
import { SIGNED_OUT, type Scene, type Situation } from './scene.js';

/** Time between two situations of a scene, in milliseconds. */
const APART_MS = 3_000;

const EXPORT_OFFERS: readonly ExportOffer[] = EXPORT_FORMATS.map(offerOf);

/**
 * Plays a scene with the panel's real code (`src/panel`), but with states from a script instead of the plugin's.
 * @param root the element that the panel is shown in
 * @returns a function that ends the scene: otherwise the panel would go on drawing for ever, even when it is not seen
 */
export function playScene(scene: Scene, strings: Translations, root: HTMLElement): () => void {
  const clock = new SceneClock();
  const offers = scene.offers ?? EXPORT_OFFERS;
  const { stores, set } = scriptedStores(offers);
  const host = hostOf(scene);
  const controls = controlsOf(scene);
  const startedAt = clock.now();
  const panel = new Panel({
    clock,
    translations: new Observable(strings),
    panel: {
      state: stores,
      context: {
        uploads: controls,
        signIn: controls,
        actions: controls,
        pictures: { thumbnailOf: (id) => picture(id) },
        uploadPictures: { of: (upload) => picture(upload), hold: () => () => undefined },
        uploadPreviews: { load: (upload) => Promise.resolve(picture(upload)) },
        exportOffers: offers,
        recordsSteps: scene.recordsSteps ?? false,
      },
    },
    host: { info: host, copyText: (text) => controls.copyText(text) },
    diagnostics: () =>
      diagnosticsText({
        host,
        stores,
        errors: [],
        service: 'https://workspace.example.com',
        startedAt,
        now: clock.now(),
      }),
    isUnsupported: scene.isOldHost ?? false,
    onUnexpectedError: (fault) => {
      if (!(fault instanceof CwError)) {
        throw fault;
      }
    },
  });
  playSituations(scene.situations(clock.now()), clock, set, () => {
    panel.show(root);
  });
  clock.goLive();
  return () => {
    clock.end();
  };
}

/** Plays situations one after the other. The panel is shown with the first one. */
function playSituations(
  situations: readonly Partial<Situation>[],
  clock: SceneClock,
  set: (next: Situation) => void,
  show: () => void,
): void {
  situations.forEach((situation, index) => {
    const next = { ...SIGNED_OUT, ...situation };
    // As in the plugin, photos are first added and then sent.
    if (index === 0) {
      set({ ...next, items: next.items.map(added) });
    }
    set(next);
    if (index === 0) {
      show();
    }
    clock.advance(index < situations.length - 1 ? APART_MS : 200);
  });
}

/** The stores that the panel reads, and a function that makes them give another situation. */
function scriptedStores(offers: readonly ExportOffer[]): {
  stores: PanelStores;
  set: (next: Situation) => void;
} {
  const session = new Observable(SIGNED_OUT.session);
  const account = new Observable(SIGNED_OUT.account);
  const device = new Observable(SIGNED_OUT.device);
  const signIn = new Observable(SIGNED_OUT.signIn);
  const queue = new Observable(SIGNED_OUT.queue);
  const uploader = new Observable(SIGNED_OUT.uploader);
  const summary = new Observable(summaryOf([]));
  const history = new Observable(0);
  const destinations = new Observable(SIGNED_OUT.destinations);
  const sharing = new Observable(SIGNED_OUT.sharing);
  const openDocument = new Observable(SIGNED_OUT.openDocument);
  const documentFeedback = new Observable(SIGNED_OUT.documentFeedback);
  const inDocument = new Observable(SIGNED_OUT.inDocument);
  const placedStatus = new Observable(SIGNED_OUT.placedStatus);
  const placedUpdates = new Observable(SIGNED_OUT.placedUpdates);
  const linkedFiles = new Observable(SIGNED_OUT.linkedFiles);
  const library = new Observable(SIGNED_OUT.library);
  const placing = new Observable(SIGNED_OUT.placing);
  const selects = new Observable(SIGNED_OUT.selects);
  const batch = new Observable(SIGNED_OUT.batch);
  const onSave = new Observable(SIGNED_OUT.onSave);
  const folder = new Observable<FolderState>({ folder: null, isChoosing: false });
  const presets = new Presets({
    records: { put: () => Promise.resolve(), remove: () => Promise.resolve() },
    offers,
    newId: () => 'new',
  });
  let shown: Situation = SIGNED_OUT;
  return {
    stores: {
      session,
      account,
      device,
      signIn,
      isForAnother: { get: () => shown.isForAnother },
      queue,
      uploadState: uploader,
      summary,
      photos: { get: () => shown.items },
      delivered: {
        get: () => shown.delivered,
        subscribe: (listener) => history.subscribe(listener),
      },
      destinations,
      sharing,
      openDocument,
      documentFeedback,
      inDocument,
      placedStatus,
      placedUpdates,
      linkedFiles,
      library,
      placing,
      selects,
      offersReceipts: { get: () => false },
      requestedScope: { get: () => null },
      lastReportAt: { get: () => null },
      presets: presets.state,
      onSave,
      batch,
      folder,
      pictures: { get: () => 0 },
      uploadPictures: { get: () => 0 },
    },
    set(next) {
      shown = next;
      history.set(history.get() + 1);
      session.set(next.session);
      account.set(next.account);
      device.set(next.device);
      signIn.set(next.signIn);
      queue.set(next.queue);
      uploader.set(next.uploader);
      destinations.set(next.destinations);
      sharing.set(next.sharing);
      openDocument.set(next.openDocument);
      documentFeedback.set(next.documentFeedback);
      inDocument.set(next.inDocument);
      placedStatus.set(next.placedStatus);
      placedUpdates.set(next.placedUpdates);
      linkedFiles.set(next.linkedFiles);
      library.set(next.library);
      placing.set(next.placing);
      selects.set(next.selects);
      batch.set(next.batch);
      onSave.set(next.onSave);
      folder.set({ folder: next.folder, isChoosing: false });
      if (next.ownPreset !== null) {
        void presets.save(ownPreset(next.ownPreset));
      }
      void presets.choose(next.presetId);
      summary.set(summaryOf(next.items));
    },
  };
}

function hostOf({ isOldHost }: Scene): HostInfo {
  return {
    appName: 'Photoshop',
    appVersion: isOldHost === true ? '25.0.0' : '27.4.0',
    platform: '9.2.0',
    os: 'macOS 15',
    pluginVersion: '0.1.0',
    uiLocale: 'en_US',
  };
}

/** Presses buttons one after the other, by their labels. @throws {Error} when a button is not there or not shown. */
export async function press(root: HTMLElement, labels: readonly string[]): Promise<void> {
  for (const label of labels) {
    const button = [
      ...root.querySelectorAll<HTMLElement>('sp-button, sp-action-button, .control'),
    ].find(
      (found) =>
        found.textContent === label ||
        [...found.querySelectorAll('div')].some(({ textContent }) => textContent === label),
    );
    if (!button) {
      throw new Error(`No button "${label}" in this scene.`);
    }
    button.click();
    // The work of a press waits only for promises that are settled already, so one turn of the event loop is enough.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function added(item: UploadItem): UploadItem {
  return { ...item, phase: 'waiting', sentBytes: 0, confirmedBytes: 0 };
}

const LINK: ShareLink = {
  id: 'l1',
  url: 'https://workspace.example.com/s/1',
  expires: Date.UTC(2026, 5, 11),
  created: Date.UTC(2026, 4, 12),
  hasPassword: true,
  name: 'Spring wedding',
  photos: 32,
  project: { id: 'p1', name: 'Spring wedding' },
};

/** What calls answer that do not only succeed. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  shareLinks: [{ ...LINK, id: 'l0', hasPassword: false }],
  createShareLink: LINK,
  answeredLinks: new Map([['l0', Date.UTC(2026, 4, 12)]]),
  appPresets: ['[High Quality Print]', '[Press Quality]'].map((name) => ({ id: name, name })),
  openDocuments: [
    {
      key: '1',
      name: 'Wedding on the lake, the cover of the album.psd',
      isFront: true,
      parts: [
        { id: '1', name: 'Front' },
        { id: '2', name: 'Back' },
      ],
    },
    { key: '2', name: 'IMG_0412.psd', isFront: false, parts: [] },
    { key: '3', name: 'Untitled-1', isFront: false, parts: [] },
  ],
};

type Context = PanelParts['context'];
type Controls = Context['uploads'] &
  Context['signIn'] &
  Context['actions'] &
  Pick<Host, 'copyText'>;

/** Everything that the buttons call: does nothing but succeed, or fails as the scene requires. */
function controlsOf({ refuses, length }: Scene): Controls {
  const answers: Readonly<Record<string, unknown>> = { ...ANSWERS, lengthOf: length ?? null };
  return new Proxy({} as Controls, {
    get: (_target, name) => () => {
      const code = refuses?.[name as keyof typeof refuses];
      return code === undefined
        ? Promise.resolve(answers[String(name)])
        : Promise.reject(new CwError(code, 'shown in the preview'));
    },
  });
}

function summaryOf(items: readonly UploadItem[]): UploadSummary {
  const counts = { waiting: 0, uploading: 0, uploaded: 0, failed: 0, totalBytes: 0, sentBytes: 0 };
  for (const item of items) {
    counts[item.phase] += 1;
    counts.totalBytes += item.record.size;
    counts.sentBytes += item.sentBytes;
  }
  return counts;
}
