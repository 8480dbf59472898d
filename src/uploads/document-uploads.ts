import { CwError } from '../util/errors.js';
import type { ExportTarget, Host, PhotoSource } from '../host/host.js';
import type { ProjectRef } from './destinations/project.js';
import type { Preset } from './presets/preset.js';
import type { UploadManager } from './upload-manager.js';

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
}

/** Exports open documents into the upload queue. */
export class DocumentUploads {
  constructor(
    private readonly host: Pick<Host, 'documentExporter' | 'openDocument'>,
    private readonly uploads: Pick<UploadManager, 'addDocument'>,
  ) {}

  /**
   * Exports a document and queues the copy. Settles when the copy is safe in the queue, or refused: the reason is then in
   * `documentError` of the uploads. Never rejects.
   */
  async upload({ preset, target, title, project }: DocumentUpload): Promise<void> {
    await this.uploads.addDocument(async (): Promise<PhotoSource> => {
      const { documentExporter, openDocument } = this.host;
      if (!documentExporter) {
        throw new CwError('CW-804', 'this app has no document export');
      }
      // Read first: a change during the export counts as a change after it.
      const front = (await openDocument?.current().catch(() => null)) ?? null;
      const { documentKey } = target;
      const open = documentKey === null || documentKey === front?.key ? front : null;
      const photo = await documentExporter.exportDocument(preset.settings, title, target);
      return {
        name: photo.name,
        type: photo.type,
        ...(photo.id !== undefined && { id: photo.id }),
        document: photo.document ?? open?.documentId ?? null,
        stateId: photo.stateId ?? open?.stateId ?? null,
        copyToSpool: (id) => photo.copyToSpool(id),
      };
    }, project);
  }
}
