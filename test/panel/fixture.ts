import { jest } from '@jest/globals';
import type { Account } from '../../src/account/current-account.js';
import type { DeviceIdentity } from '../../src/features/device/device.js';
import type { CircuitState } from '../../src/api/circuit-breaker.js';
import { Observable } from '../../src/util/observable.js';
import type { SessionState } from '../../src/oauth/session/token-store.js';
import type { CodeShown, SignInState } from '../../src/oauth/device-flow/sign-in.js';
import type { ExportOffer } from '../../src/host/document-export.js';
import { Panel } from '../../src/panel/panel.js';
import type { Translations } from '../../src/ui/i18n/translations.js';
import type { PanelParts } from '../../src/panel/view.js';
import type { PanelHost } from '../../src/ui/view.js';
import type { DestinationState } from '../../src/features/destinations/destinations.js';
import type { FolderState } from '../../src/features/folder/folder-watch.js';
import type { BatchState } from '../../src/features/documents/document-batch.js';
import { NO_SAVES, type OnSaveState } from '../../src/features/on-save/upload-on-save.js';
import { Presets } from '../../src/features/presets/saved-presets.js';
import { NO_FILES, type LibraryState } from '../../src/features/library/library.js';
import type { InDocumentState } from '../../src/features/feedback/comments-in-document.js';
import type { DocumentFeedbackState } from '../../src/features/feedback/document-feedback.js';
import type { PlacedUpdatesState } from '../../src/features/placed-files/placed-updates.js';
import type { LinkedFilesState } from '../../src/features/placed-files/linked-files.js';
import type { PlacedStatusState } from '../../src/features/placed-files/placed-status.js';
import type { PlacingState } from '../../src/features/placing/placing.js';
import {
  NO_SELECTS as FIRST_SELECTS,
  type SelectsState,
} from '../../src/features/selects/selects-state.js';
import type { OpenDocumentState } from '../../src/features/documents/document-state.js';
import type { ServiceAccess } from '../../src/account/service-access.js';
import type { UploadedPhoto } from '../../src/features/history/upload-history.js';
import { PhotoStore, type PhotoStoreOptions } from '../../src/features/queue/photo-store.js';
import {
  UploadManager,
  type UploadManagerOptions,
  type UploadManagerState,
} from '../../src/features/uploads/upload-manager.js';
import { NO_CONTEXT } from '../../src/features/queue/photo-record.js';
import { UploadQueue } from '../../src/features/queue/upload-queue.js';
import type { UploadItem, UploadSummary } from '../../src/features/queue/upload-item.js';
import type { UploadPreviews } from '../../src/features/pictures/upload-previews.js';
import { FakeClock } from '../support/fake-clock.js';
import { en } from '../ui/i18n/translations.js';
import { photoRecord } from '../support/photo-record.js';

interface FixtureOptions {
  readonly isShown: boolean;
  readonly exportOffers: readonly ExportOffer[];
  readonly isUnsupported: boolean;
  /** Whether the app has Actions. */
  readonly recordsSteps: boolean;
  readonly strings: Translations;
  /** The watched folder; a host without folders when it is left out. */
  readonly folder: Observable<FolderState | null>;
}

const PHOTOSHOP_OFFERS: readonly ExportOffer[] = [
  {
    format: 'jpg',
    gives: 'document',
    choices: ['quality', 'longEdge', 'profile', 'metadata', 'approved'],
  },
  { format: 'tif', gives: 'document', choices: ['bitDepth', 'metadata'] },
  { format: 'psd', gives: 'document' },
];

/** Of an app that can show comments in its documents. */
export const NOT_IN_DOCUMENT: InDocumentState = {
  canShow: true,
  canGoTo: true,
  isWorking: false,
  last: null,
  numbers: new Map(),
  uncertain: 0,
  unplaced: 0,
  error: null,
};

/** Of a host without folders. */
export const NO_SELECTS: SelectsState = { ...FIRST_SELECTS, isOffered: false };

/** A host's own buttons can have the focus. */
class HostButton extends HTMLElement {
  connectedCallback(): void {
    this.tabIndex = 0;
  }
}
for (const name of ['sp-button', 'sp-action-button'])
  customElements.define(name, class extends HostButton {});

/** A panel over states that a test sets, in a page that a test reads and clicks as a user does. */
export class PanelFixture {
  readonly clock = new FakeClock();
  readonly session = new Observable<SessionState>({ kind: 'loading' });
  readonly account = new Observable<Account | null>(null);
  readonly device = new Observable<DeviceIdentity | null>(null);
  isForAnother = false;
  readonly signIn = new Observable<SignInState>({ kind: 'idle' });
  readonly queue = new Observable<CircuitState>({ kind: 'closed' });
  readonly uploadState = new Observable(initialUploaderState());
  readonly summary = new Observable<UploadSummary>(summaryOf([]));
  items: readonly UploadItem[] = [];
  readonly history = new Observable(0);
  deliveries: readonly UploadedPhoto[] = [];
  readonly destinations = new Observable<DestinationState>({
    availability: 'unsupported',
    projects: [],
    selected: null,
    isLoading: false,
    error: null,
  });
  readonly sharing = new Observable<ServiceAccess>('unsupported');
  readonly receipts = new Observable(false);
  readonly openDocument = new Observable<OpenDocumentState | null>(null);
  readonly documentFeedback = new Observable<DocumentFeedbackState>({
    entries: [],
    unseen: 0,
    needsPermission: false,
  });
  readonly inDocument = new Observable<InDocumentState>(NOT_IN_DOCUMENT);
  readonly placedUpdates = new Observable<PlacedUpdatesState>({
    canUpdate: true,
    canUndo: true,
    progress: null,
    result: null,
  });
  readonly linkedFiles = new Observable<LinkedFilesState>({
    canRead: true,
    progress: null,
    unread: new Map(),
    error: null,
  });
  readonly placedStatus = new Observable<PlacedStatusState>({
    rows: [],
    others: [],
    checkedAt: null,
    isChecking: false,
    isAway: false,
    needsPermission: false,
    error: null,
  });
  readonly uploadPictures = new Observable(0);
  readonly placing = new Observable<PlacingState>({
    canPlace: true,
    canOpen: false,
    folder: null,
    current: null,
    needsPermission: false,
    failure: null,
  });
  /** The picture of each upload. */
  uploadPicture: string | null = null;
  /** Loads the large pictures. */
  readonly loadPreview = jest.fn<UploadPreviews['load']>().mockResolvedValue(null);
  /** The uploads whose pictures are shown. */
  readonly heldPictures: string[] = [];
  /** How often a picture was drawn. */
  drawnPictures = 0;
  readonly library = new Observable<LibraryState>({ ...NO_FILES, access: 'unsupported' });
  readonly selects = new Observable<SelectsState>(NO_SELECTS);
  requestedScope: string | null = null;
  readonly presets: Presets;
  readonly onSave = new Observable<OnSaveState>(NO_SAVES);
  readonly batch = new Observable<BatchState>({ done: 0, total: 0, failures: [] });
  /** The pictures of photos, by their ids. */
  readonly pictureOf = new Map<string, string>();
  readonly pictures = {
    changes: new Observable(0),
    thumbnailOf: (id: string): string | null => this.pictureOf.get(id) ?? null,
  };
  /** Replaces the list of photos; a test may make it throw. */
  photos = (): readonly UploadItem[] => this.items;

  readonly folder: Observable<FolderState | null>;
  readonly faults: unknown[] = [];
  readonly uploads = mocks<PanelParts['context']['uploads']>({
    importer: mocks(),
    duplicates: mocks(),
    versions: mocks(),
  });
  readonly signInCalls = mocks<PanelParts['context']['signIn']>();
  readonly actions = mocks<PanelParts['context']['actions']>();
  readonly host = mocks<Pick<PanelHost, 'copyText'>>();
  readonly panel: Panel;
  readonly page: HTMLElement;

  /** @param isShown  whether the host shows the panel at once */
  constructor({
    isShown = true,
    exportOffers = PHOTOSHOP_OFFERS,
    isUnsupported = false,
    recordsSteps = false,
    strings = en,
    folder = new Observable<FolderState | null>(null),
  }: Partial<FixtureOptions> = {}) {
    this.folder = folder;
    this.presets = new Presets({
      records: { put: () => Promise.resolve(), remove: () => Promise.resolve() },
      offers: exportOffers,
      newId: () => 'new',
    });
    this.actions.openDocuments.mockResolvedValue([]);
    this.actions.lengthOf.mockResolvedValue(null);
    this.actions.choosePreset.mockImplementation((id) => this.presets.choose(id));
    this.actions.savePreset.mockImplementation((preset) => this.presets.save(preset));
    this.actions.duplicatePreset.mockImplementation((preset, name) =>
      this.presets.duplicate(preset, name),
    );
    this.actions.removePreset.mockImplementation((id) => this.presets.remove(id));
    document.body.textContent = '';
    this.page = document.createElement('div');
    document.body.appendChild(this.page);
    this.panel = new Panel({
      clock: this.clock,
      translations: new Observable(strings),
      panel: {
        state: {
          session: this.session,
          account: this.account,
          device: this.device,
          signIn: this.signIn,
          isForAnother: { get: () => this.isForAnother },
          queue: this.queue,
          uploadState: this.uploadState,
          summary: this.summary,
          photos: { get: () => this.photos() },
          delivered: {
            get: () => this.deliveries,
            subscribe: (listener) => this.history.subscribe(listener),
          },
          destinations: this.destinations,
          sharing: this.sharing,
          offersReceipts: this.receipts,
          openDocument: this.openDocument,
          documentFeedback: this.documentFeedback,
          inDocument: this.inDocument,
          placedStatus: this.placedStatus,
          placedUpdates: this.placedUpdates,
          linkedFiles: this.linkedFiles,
          uploadPictures: this.uploadPictures,
          library: this.library,
          placing: this.placing,
          selects: this.selects,
          requestedScope: { get: () => this.requestedScope },
          presets: this.presets.state,
          batch: this.batch,
          onSave: this.onSave,
          pictures: this.pictures.changes,
          folder: this.folder,
          lastReportAt: { get: () => null },
        },
        context: {
          uploads: this.uploads,
          signIn: this.signInCalls,
          actions: this.actions,
          pictures: this.pictures,
          uploadPictures: {
            of: () => {
              this.drawnPictures += 1;
              return this.uploadPicture;
            },
            hold: (upload) => {
              this.heldPictures.push(upload);
              return () => this.heldPictures.splice(this.heldPictures.indexOf(upload), 1);
            },
          },
          uploadPreviews: { load: this.loadPreview },
          exportOffers,
          recordsSteps,
        },
      },
      host: {
        copyText: this.host.copyText,
        info: {
          appName: 'Photoshop',
          appVersion: '27.4.0',
          platform: '9.2.0',
          os: 'macOS 15',
          pluginVersion: '1.2.3',
          uiLocale: 'en_US',
        },
      },
      isUnsupported,
      diagnostics: () => `Diagnostics of ${new Date(this.clock.now()).toISOString()}`,
      onUnexpectedError: (fault) => this.faults.push(fault),
    });
    if (isShown) this.panel.show(this.page);
  }

  /** Signs in and shows these photos. */
  connectedWith(...items: UploadItem[]): void {
    this.session.set({ kind: 'signed-in', trouble: null });
    this.show(...items);
  }

  show(...items: UploadItem[]): void {
    this.items = items;
    this.summary.set(summaryOf(items));
  }

  showCode(more: Partial<CodeShown> = {}): void {
    this.session.set({ kind: 'signed-out' });
    this.signIn.set({
      kind: 'code',
      userCode: 'WDJB-MJHT',
      verificationUri: 'https://service.example/oauth/device',
      addressToOpen: 'https://service.example/oauth/device?user_code=WDJB-MJHT',
      expiresAt: this.clock.now() + 900_000,
      browserError: null,
      trouble: null,
      check: 'later',
      numbers: null,
      ...more,
    });
  }

  change(state: Partial<UploadManagerState>): void {
    this.uploadState.set({ ...this.uploadState.get(), ...state });
  }

  /** What has arrived, the newest first. */
  deliver(...photos: UploadedPhoto[]): void {
    this.deliveries = photos;
    this.history.set(this.history.get() + 1);
  }

  /** Lets the panel draw what has changed. */
  async drawn(): Promise<void> {
    await this.clock.advance(500);
  }

  /** What a user reads, line by line, above the line with the help that is below every view. */
  read(): string[] {
    return linesOf(visible(this.page).filter((element) => !element.closest('.footer')));
  }

  /** What a user reads in the help. */
  readHelp(): string[] {
    return linesOf(visible(this.page).filter((element) => element.closest('.help')));
  }

  /** The signs in sight, by what they stand before. */
  signs(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      visible(this.page)
        .filter((element) => element.matches('.sign'))
        .map((sign) => [
          sign.nextElementSibling?.textContent ?? '',
          sign.className.replace('sign ', ''),
        ]),
    );
  }

  /** The states of the photos on the list: their words, and the kinds that their looks follow. */
  states(): readonly (readonly [word: string, kind: string])[] {
    return [...this.page.querySelectorAll('.photo-state')].map((state) => [
      state.querySelector('.word')?.textContent ??
        state.closest('.photo')?.querySelector('.photo-detail')?.textContent ??
        '',
      state.className.replace('photo-state ', ''),
    ]);
  }

  /** The labels of the controls in sight, above the line with the help. */
  buttons(): string[] {
    return this.buttonElements()
      .filter((element) => !element.closest('.footer'))
      .map(labelOf);
  }

  /** Presses the control of that label; the first or the one at `place`. */
  async click(label: string, place = 0): Promise<void> {
    const found = this.buttonElements().filter((element) => labelOf(element) === label);
    const button = found[place];
    if (!button)
      throw new Error(
        `no button "${label}" among: ${this.buttonElements().map(labelOf).join(', ')}`,
      );
    button.click();
    await this.clock.settle();
  }

  /** Types into the first field in sight, and returns it. */
  async type(text: string): Promise<HTMLElement> {
    const field = this.page.querySelector<HTMLElement & { value?: string }>('sp-textfield');
    if (!field) throw new Error('no field');
    field.value = text;
    field.dispatchEvent(new Event('input'));
    await this.drawn();
    return field;
  }

  /** Chooses an entry of a menu. @param place  which of the controls with the label `opener` opens it */
  async choose(opener: string, entry: string, place = 0): Promise<void> {
    await this.click(opener, place);
    await this.click(entry);
  }

  /** The entries of the open menu. */
  entries(): string[] {
    return [...this.page.querySelectorAll('.popover .entry')].map(labelOf);
  }

  /** The text in sight that can be selected. */
  field(): HTMLTextAreaElement | null {
    return visible(this.page).find((element) => element instanceof HTMLTextAreaElement) ?? null;
  }

  /** The widths of the progress bars in sight. */
  bars(): string[] {
    return [...this.page.querySelectorAll<HTMLElement>('.bar-fill')].map(
      ({ style }) => style.width,
    );
  }

  private buttonElements(): HTMLElement[] {
    return visible(this.page).filter((element) => element.matches(CONTROLS));
  }
}

const CONTROLS = 'sp-button, sp-action-button, .control';

/** The text of a control: all of it, or the label of an entry with more. */
function labelOf(control: Element): string {
  return (control.querySelector('.entry-label') ?? control).textContent;
}

type Method = (...values: never[]) => unknown;
type Mocks<T> = {
  readonly [Name in keyof T]: T[Name] extends Method ? jest.Mock<T[Name]> : Mocks<T[Name]>;
};

/** All methods of `T`, as functions that note their calls and succeed. @param parts  its members that are no methods */
function mocks<T>(parts: Partial<Mocks<T>> = {}): Mocks<T> {
  const made = new Map<string | symbol, jest.Mock<() => Promise<void>>>();
  return new Proxy({} as Mocks<T>, {
    get: (_target, name) => {
      if (name in parts) {
        return parts[name as keyof T];
      }
      const intent = made.get(name) ?? jest.fn(() => Promise.resolve());
      made.set(name, intent);
      return intent;
    },
  });
}

/** The state of a new upload manager. It reads most of its options only when it is asked to do something. */
function initialUploaderState(): UploadManagerState {
  const photoStore = new PhotoStore({} as PhotoStoreOptions);
  const options = {
    photoStore,
    queue: new UploadQueue({ photoStore }),
    account: { state: new Observable(null) },
    owner: { get: () => null },
  };
  return new UploadManager(options as unknown as UploadManagerOptions).state.get();
}

/** Texts that are one to the reader, though they are made of several elements. */
const WHOLE = '.file-name, .address';

function linesOf(elements: readonly HTMLElement[]): string[] {
  return elements
    .filter((element) => !element.matches('.sign') && !element.closest('.icon-button'))
    .filter((element) =>
      element.parentElement?.closest(WHOLE)
        ? false
        : element.matches(WHOLE) || element.children.length === 0,
    )
    .map((element) => element.textContent.trim())
    .filter((text) => text !== '');
}

/** Every element in sight below `root`, in the order of the page. */
function visible(root: Element): HTMLElement[] {
  return [...root.children].flatMap((child) => {
    if (!(child instanceof HTMLElement) || child.style.display === 'none') return [];
    return [child, ...visible(child)];
  });
}

function summaryOf(items: readonly UploadItem[]): UploadSummary {
  const summary = { waiting: 0, uploading: 0, uploaded: 0, failed: 0, totalBytes: 0, sentBytes: 0 };
  for (const item of items) {
    summary[item.phase] += 1;
    summary.totalBytes += item.record.size;
    summary.sentBytes += item.sentBytes;
  }
  return summary;
}

/** A photo of the history. */
export function delivered(name: string, more: Partial<UploadedPhoto> = {}): UploadedPhoto {
  return {
    id: `id of ${name}`,
    name,
    size: 24_300_000,
    at: new Date(2026, 10, 22, 13, 5, 9).getTime(),
    workspace: 'Studio Keller',
    owner: 'anna',
    hasMatchingCrc: false,
    sha256: null,
    pageUrl: null,
    uploadId: null,
    ...NO_CONTEXT,
    ...more,
  };
}

/** A photo of the list. */
export function item(
  name: string,
  phase: UploadItem['phase'] = 'waiting',
  more: { readonly sentBytes?: number; readonly failure?: UploadItem['record']['failure'] } = {},
): UploadItem {
  const sentBytes = more.sentBytes ?? (phase === 'uploaded' ? 1000 : 0);
  return {
    record: photoRecord(`id of ${name}`, 1000, { name, failure: more.failure ?? null }),
    phase,
    sentBytes,
    confirmedBytes: 0,
  };
}
