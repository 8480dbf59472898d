import { CwError } from '../../util/errors.js';
import { Mutex } from '../../util/mutex.js';
import type { ExportTarget } from '../../host/document-export.js';
import type { Host } from '../../host/host.js';
import type { OpenDocument } from '../../host/open-document.js';
import type { PhotoSource } from '../../host/photo-source.js';
import type { Spool } from '../../host/spool.js';
import type { ProjectRef } from '../../api/project.js';
import type { UploadHistory } from '../history/index.js';
import type { DocumentOutcome, PhotoImporter } from '../import/index.js';
import {
  type Preset,
  containsPart,
  dayOf,
  identityOfPreset,
  nameFromPattern,
  recipeOf,
} from '../presets/index.js';
import type { PhotoContext, UploadQueue } from '../queue/index.js';
import type { ClientAnswers } from './client-answers.js';
import { approvedFiles } from './document-state.js';

/** The document in front, whole. */
export const FRONT_DOCUMENT: ExportTarget = { documentKey: null, partId: null };

/** What to upload, how and where to. */
export interface DocumentUpload {
  readonly preset: Preset;
  readonly target: ExportTarget;
  /** Shown by apps that are blocked during the export. */
  readonly title: string;
  /** Null for no project. Undefined for the current destination. */
  readonly project?: ProjectRef | null;
  /** Whether the caller shows a failure. `documentError` then stays as it is. */
  readonly isQuiet?: boolean;
}

/** An upload that nobody presses a button for: the caller shows a failure. */
export interface AutomaticUpload extends Omit<DocumentUpload, 'isQuiet'> {
  readonly project: ProjectRef | null;
  /** The document, as it was read before the export. */
  readonly open: OpenDocument | null;
}

/** Keeps which files are placed in an exported document. Neither rejects. */
export interface ExportPlacements {
  /** Those of an open document, by its key. */
  of(documentKey: string): Promise<readonly string[]>;
  /** @param photoId  the id of the export on the list */
  note(photoId: string, placed: readonly string[]): Promise<void>;
}

export interface DocumentUploadsOptions {
  readonly host: Pick<Host, 'documentExporter' | 'openDocument'> & {
    readonly spool: Pick<Spool, 'remove'>;
  };
  readonly importer: Pick<PhotoImporter, 'addDocument' | 'showDocumentError'>;
  readonly queue: Pick<UploadQueue, 'all' | 'get'>;
  readonly history: Pick<UploadHistory, 'photos'>;
  readonly answers: Pick<ClientAnswers, 'latest'>;
  readonly placements: ExportPlacements;
  /** The name of a preset in the user's language, for the names of copies. */
  readonly presetName: (preset: Preset) => string;
  /** The project of new photos, for the names of copies; null for none. */
  readonly destination: () => ProjectRef | null;
  /** Wall-clock time in milliseconds. */
  readonly now: () => number;
}

/** Exports open documents into the upload queue, one at a time: an app refuses a second export during the first. */
export class DocumentUploads {
  private readonly exports = new Mutex();

  constructor(private readonly options: DocumentUploadsOptions) {}

  /**
   * Exports a document and queues the copy. Settles when the copy is safe in the queue, or refused: the reason is then in
   * `documentError` of the uploads, too. Never rejects.
   */
  async upload({ project, isQuiet, ...request }: DocumentUpload): Promise<DocumentOutcome> {
    const { importer, destination } = this.options;
    // Chosen now, even if its turn comes later.
    const chosen = project === undefined ? destination() : project;
    if (isQuiet !== true) {
      importer.showDocumentError(null);
    }
    const outcome = await importer.addDocument(
      () =>
        this.exports.run(async () => this.export(request, chosen, await this.read(request.target))),
      chosen,
    );
    if (outcome instanceof CwError && isQuiet !== true) {
      importer.showDocumentError(outcome);
    }
    return outcome;
  }

  /**
   * Exports a document and queues the copy, unless its state was queued with this preset and project before. Settles when
   * a copy is safe in the queue, or refused, which is not shown. Never rejects.
   */
  async uploadOnce({ project, open, ...request }: AutomaticUpload): Promise<DocumentOutcome> {
    const recipe = recipeOf(request.preset, project);
    if (open && this.wasQueued(open, recipe)) {
      return 'queued';
    }
    return this.options.importer.addDocument(
      () =>
        this.exports.run(async () => ({ ...(await this.export(request, project, open)), recipe })),
      project,
    );
  }

  /** Whether a state of a document is in the queue, or was uploaded, as this recipe has it. */
  wasQueued(
    { documentId, stateId }: Pick<OpenDocument, 'documentId' | 'stateId'>,
    recipe: string,
  ): boolean {
    const { queue, history } = this.options;
    const isIt = (photo: PhotoContext): boolean =>
      photo.recipe === recipe &&
      photo.stateId === stateId &&
      // The identity is followed by a part and a format: `ID#page-200#image/jpeg`.
      photo.document?.split('#', 1)[0] === documentId;
    const isQueued = queue.all.some((id) => {
      const item = queue.get(id);
      return item !== null && isIt(item.record);
    });
    return isQueued || history.photos().some(isIt);
  }

  /** The target's document now. Read before the export: a change during the export counts as a change after it. */
  async read({ documentKey }: ExportTarget): Promise<OpenDocument | null> {
    const { openDocument } = this.options.host;
    const open = documentKey === null ? openDocument?.current() : openDocument?.find(documentKey);
    return (await open?.catch(() => null)) ?? null;
  }

  private async export(
    { preset, target, title }: Pick<DocumentUpload, 'preset' | 'target' | 'title'>,
    project: ProjectRef | null,
    open: OpenDocument | null,
  ): Promise<PhotoSource> {
    const { host, placements } = this.options;
    const { documentExporter } = host;
    if (!documentExporter) {
      throw new CwError('CW-804', 'this app has no document export');
    }
    const approved = preset.approvedOnly === true ? await this.approvedNow(preset, open) : null;
    const placed = open ? await placements.of(open.key) : [];
    const photo = await documentExporter.exportDocument(preset.settings, title, target);
    if (approved && !(await this.isAmong(approved, photo, open))) {
      await (photo.id !== undefined && host.spool.remove(photo.id));
      throw notApproved();
    }
    return {
      name: this.nameOf(photo.name, preset, project),
      type: photo.type,
      ...(photo.id !== undefined && { id: photo.id }),
      document: identityOfPreset(photo.document ?? open?.documentId ?? null, preset),
      stateId: photo.stateId ?? open?.stateId ?? null,
      length: photo.length ?? null,
      source: photo.source ?? null,
      copyToSpool: async (id) => {
        const copy = await photo.copyToSpool(id);
        await placements.note(id, placed);
        return copy;
      },
    };
  }

  /**
   * The approved files of a document as it is now, see {@link approvedFiles}. Read before the export, which takes long.
   * @throws {CwError} CW-820 when there are none, or why that is not known
   */
  private async approvedNow(
    { settings }: Preset,
    open: OpenDocument | null,
  ): Promise<readonly string[]> {
    const { host, history, answers } = this.options;
    const offer = host.documentExporter?.offers.find(({ format }) => format === settings.format);
    // An app that does not report changes has one state for all.
    const isKnown = offer?.choices?.includes('approved') === true;
    const documentId = isKnown ? (open?.documentId ?? null) : null;
    if (!open || documentId === null) {
      throw notApproved();
    }
    const approved = approvedFiles(open, history.photos(), await answers.latest(documentId));
    if (approved.length === 0) {
      throw notApproved();
    }
    return approved;
  }

  /** Whether an export is of the approved state, and of a part of the document that was approved. */
  private async isAmong(
    approved: readonly string[],
    { document }: PhotoSource,
    open: OpenDocument | null,
  ): Promise<boolean> {
    const now = open && (await this.read({ documentKey: open.key, partId: null }));
    const exported = document ?? now?.documentId ?? null;
    return (
      now?.stateId === open?.stateId &&
      exported !== null &&
      approved.some((file) => containsPart(file, exported))
    );
  }

  /** The name by the preset's pattern, with the ending that the export has given. */
  private nameOf(exported: string, preset: Preset, project: ProjectRef | null): string {
    const { presetName, now } = this.options;
    const ending = /\.[A-Za-z0-9]{1,5}$/.exec(exported)?.[0] ?? '';
    const name = nameFromPattern(preset.namePattern, {
      name: exported.slice(0, exported.length - ending.length),
      date: dayOf(now()),
      preset: presetName(preset),
      project: project?.name ?? '',
    });
    return name + ending;
  }
}

function notApproved(): CwError {
  return new CwError('CW-820', 'the document is not as a client approved it');
}
