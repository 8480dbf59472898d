import type { Connection } from '../../account/connection.js';
import type { CommandEntry } from '../../host/panel-entry.js';
import type { Host } from '../../host/host.js';
import type { Translations } from '../../ui/i18n/translations.js';
import type { PartSources } from '../../ui/view.js';
import { CwError } from '../../util/errors.js';
import type { ReadableObservable } from '../../util/observable.js';
import type { DocumentOutcome } from '../import/index.js';
import type { Destinations } from '../destinations/index.js';
import { presetName } from '../presets/index.js';
import { ClientAnswers } from './client-answers.js';
import { DocumentBatch } from './document-batch.js';
import { DocumentCommands, type DocumentCommandsOptions } from './document-commands.js';
import { OpenDocumentWatch, type OpenDocumentWatchOptions } from './document-state.js';
import {
  DocumentUploads,
  FRONT_DOCUMENT,
  type DocumentUploadsOptions,
} from './document-uploads.js';
import type { DocumentsPanel } from './panel.js';

interface StartOptions
  extends
    Pick<DocumentCommandsOptions, 'presets' | 'isRestored'>,
    Pick<DocumentUploadsOptions, 'queue' | 'placements'> {
  readonly importer: DocumentUploadsOptions['importer'] & DocumentCommandsOptions['importer'];
  readonly history: DocumentUploadsOptions['history'] & OpenDocumentWatchOptions['history'];
  readonly destinations: Pick<Destinations, 'forDocument' | 'forNewPhotos' | 'setDocument'>;
  readonly translations: ReadableObservable<Translations>;
  readonly onUnexpectedError: (error: unknown) => void;
}

export function startDocuments(
  host: Pick<
    Host,
    'openDocument' | 'documentExporter' | 'actionSteps' | 'clock' | 'showMessage' | 'spool'
  >,
  connection: Pick<
    Connection,
    'requests' | 'capabilities' | 'api' | 'owner' | 'isOwnAddress' | 'session'
  >,
  {
    importer,
    queue,
    history,
    placements,
    presets,
    isRestored,
    destinations,
    translations,
    onUnexpectedError,
  }: StartOptions,
): {
  readonly documents: DocumentUploads;
  readonly openDocument: OpenDocumentWatch;
  readonly commands: DocumentCommands;
  /** The commands in the app's menu. */
  readonly entries: readonly CommandEntry[];
  readonly panel: PartSources<DocumentsPanel>;
} {
  const { documentExporter, actionSteps, clock } = host;
  const answers = new ClientAnswers({
    ...connection,
    clock,
    endpoint: `${connection.api}/uploads`,
  });
  const openDocument = new OpenDocumentWatch({
    port: host.openDocument,
    history,
    answers,
    onDocument: (document) => {
      destinations.setDocument(document);
    },
  });
  connection.session.state.subscribe(({ kind }) => {
    if (kind === 'signed-in') {
      openDocument.start();
    } else {
      openDocument.stop();
    }
  });
  const documents = new DocumentUploads({
    host,
    importer,
    queue,
    history,
    answers,
    placements,
    presetName: (preset) => presetName(translations.get(), preset),
    destination: () => destinations.forNewPhotos(),
    now: () => clock.now(),
  });
  const commands = new DocumentCommands({
    documents,
    exporter: documentExporter,
    steps: actionSteps,
    destinations,
    presets,
    importer,
    session: connection.session.state,
    isRestored,
    title: () => translations.get().uploadDocument,
  });
  const batch = new DocumentBatch(documents);
  return {
    documents,
    openDocument,
    commands,
    entries: commandEntries(host, commands, translations, onUnexpectedError),
    panel: {
      state: { openDocument: openDocument.state, batch: batch.state },
      context: {
        recordsSteps: actionSteps !== null,
        actions: {
          uploadDocument: async (preset, title) => {
            await documents.upload({ preset, target: FRONT_DOCUMENT, title });
          },
          lengthOf: async ({ settings }) =>
            (await documentExporter?.lengthOf?.(settings, FRONT_DOCUMENT)) ?? null,
          openDocuments: async () => (await documentExporter?.documents()) ?? [],
          uploadDocuments: (entries, preset, title) =>
            // The destination of this moment, even if another one is chosen during the exports.
            batch.upload(entries, { preset, title, project: destinations.forNewPhotos() }),
          cancelDocuments: () => {
            batch.cancel();
          },
          dismissDocuments: () => {
            batch.dismiss();
          },
          recordStep: (name, preset) => commands.record(name, preset, destinations.forNewPhotos()),
        },
      },
    },
  };
}

/** The panel may be closed, so a failure is shown over the app, too. */
function commandEntries(
  host: Pick<Host, 'showMessage'>,
  commands: DocumentCommands,
  translations: ReadableObservable<Translations>,
  onUnexpectedError: (error: unknown) => void,
): readonly CommandEntry[] {
  let isShowing = false;
  const entry = (id: CommandEntry['id'], work: () => Promise<DocumentOutcome>): CommandEntry => ({
    id,
    run: async () => {
      try {
        const outcome = await work();
        // One message at a time: a batch may fail for all its documents.
        if (outcome instanceof CwError && !isShowing) {
          isShowing = true;
          const { documentTitle, errors } = translations.get();
          await host.showMessage(`${documentTitle}\n${errors[outcome.code]} (${outcome.code})`);
          isShowing = false;
        }
      } catch (error) {
        onUnexpectedError(error);
      }
    },
  });
  return [
    entry('uploadDocument', () => commands.uploadFront()),
    entry('uploadAllDocuments', () => commands.uploadAll()),
  ];
}
