import { CancelledError } from '../../util/cancel.js';
import { CwError } from '../../util/errors.js';
import type { ReadableObservable } from '../../util/observable.js';
import type { ActionSteps } from '../../host/host.js';
import type { DocumentExporter } from '../../host/document-export.js';
import type { SessionState } from '../../oauth/session/token-store.js';
import type { Destinations } from '../destinations/index.js';
import type { ProjectRef } from '../../api/project.js';
import { FRONT_DOCUMENT, type DocumentUploads } from './document-uploads.js';
import type { DocumentOutcome, PhotoImporter } from '../import/index.js';
import type { Preset } from '../presets/index.js';
import { readStep, writeStep } from './recorded-step.js';

export interface DocumentCommandsOptions {
  readonly documents: Pick<DocumentUploads, 'upload' | 'uploadOnce' | 'read'>;
  readonly exporter: Pick<DocumentExporter, 'documents'> | null;
  readonly steps: ActionSteps | null;
  readonly destinations: Pick<Destinations, 'forDocument' | 'forNewPhotos'>;
  readonly presets: { readonly chosen: Preset | null };
  readonly importer: Pick<PhotoImporter, 'showDocumentError'>;
  readonly session: ReadableObservable<SessionState>;
  /** Whether storage has been read. */
  readonly isRestored: ReadableObservable<boolean>;
  /** Shown by apps that are blocked during an export. */
  readonly title: () => string;
}

/** Uploads that the app's menus and Actions start. They work before the panel was open. */
export class DocumentCommands {
  constructor(private readonly options: DocumentCommandsOptions) {
    options.steps?.onPlay((content) => this.play(content));
  }

  /** Uploads the document in front with the chosen preset, to its destination. Never rejects. */
  uploadFront(): Promise<DocumentOutcome> {
    // Read now: another one may be in front later.
    const front = this.options.documents.read(FRONT_DOCUMENT);
    return this.uploadKeys(async () => [(await front)?.key ?? null]);
  }

  /** Uploads all open documents, each to its destination. @returns the first failure, if there was one. Never rejects */
  uploadAll(): Promise<DocumentOutcome> {
    return this.uploadKeys(async () => {
      const open = (await this.options.exporter?.documents()) ?? [];
      // An app that lists none exports the one in front.
      return open.length > 0 ? open.map(({ key }) => key) : [null];
    });
  }

  /**
   * Adds a step to the Action that the user is recording: an upload with this preset, to this project.
   * @param name  shown in the list of the Action's steps
   * @throws {CwError} CW-808
   */
  async record(name: string, preset: Preset, project: ProjectRef | null): Promise<void> {
    await this.options.steps?.record(name, writeStep({ preset, project }));
  }

  /**
   * Plays a step: resolves when the copy is safe in the queue. A state that was queued with this preset and project before
   * is not queued again, so that an interrupted batch can be played from the start.
   * @throws {CwError} which stops the Action, and is shown in the panel
   * @throws {CancelledError} when the user has stopped the export
   */
  private async play(content: string): Promise<void> {
    const { documents, importer, title } = this.options;
    const front = documents.read(FRONT_DOCUMENT);
    const outcome = await this.whenReady(async () => {
      const step = readStep(content);
      if (!step) {
        return new CwError('CW-809', 'a step without its preset');
      }
      const open = await front;
      const target = { documentKey: open?.key ?? null, partId: null };
      return documents.uploadOnce({ ...step, target, title: title(), open });
    });
    if (outcome instanceof CwError) {
      importer.showDocumentError(outcome);
      throw outcome;
    }
    if (outcome === 'cancelled') {
      throw new CancelledError();
    }
  }

  private async uploadKeys(
    keys: () => Promise<readonly (string | null)[]>,
  ): Promise<DocumentOutcome> {
    const { importer } = this.options;
    importer.showDocumentError(null);
    const outcome = await this.whenReady(async () => {
      const outcomes: DocumentOutcome[] = [];
      for (const documentKey of await keys()) {
        const one = await this.upload(documentKey);
        outcomes.push(one);
        // The others are uploaded although one has failed, but not when the user has stopped one.
        if (one === 'cancelled') {
          break;
        }
      }
      return outcomes.find((one) => one instanceof CwError) ?? 'queued';
    });
    if (outcome instanceof CwError) {
      importer.showDocumentError(outcome);
    }
    return outcome;
  }

  private async upload(documentKey: string | null): Promise<DocumentOutcome> {
    const { documents, destinations, presets, title } = this.options;
    const preset = presets.chosen;
    if (!preset) {
      return new CwError('CW-804', 'this app has no document export');
    }
    const target = { documentKey, partId: null };
    const open = await documents.read(target);
    const project = destinations.forDocument(open?.documentId ?? null);
    return documents.upload({ preset, target, title: title(), project, isQuiet: true });
  }

  /** Runs `work` once storage and session are known. @returns CW-201 when nobody is connected */
  private async whenReady(work: () => Promise<DocumentOutcome>): Promise<DocumentOutcome> {
    const { isRestored, session } = this.options;
    await until(isRestored, (is) => is);
    await until(session, ({ kind }) => kind !== 'loading');
    if (session.get().kind === 'signed-out') {
      return new CwError('CW-201', 'nobody is connected');
    }
    return work();
  }
}

/** Settles when the value is accepted. */
function until<T>(store: ReadableObservable<T>, accepts: (value: T) => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (accepts(store.get())) {
      resolve();
      return;
    }
    const stop = store.subscribe((value) => {
      if (accepts(value)) {
        stop();
        resolve();
      }
    });
  });
}
