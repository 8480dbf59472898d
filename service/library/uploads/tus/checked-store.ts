import { DataStore, type Upload } from '@tus/server';
import type { Readable } from 'node:stream';

/**
 * The store as the tus server gets it. It works only on the upload for which the request was checked.
 * The server reads the id itself: if it ever read another one, that upload would still be safe.
 */
export class CheckedStore extends DataStore {
  /**
   * @param checkedId the id of the upload that the request may work on.
   * @param beforeWrite runs before bytes are written, once the server has checked that they belong at this offset.
   */
  constructor(
    private readonly store: DataStore,
    private readonly checkedId: string,
    private readonly beforeWrite: (offset: number) => Promise<void>,
  ) {
    super();
    this.extensions = store.extensions;
  }

  override async create(upload: Upload): Promise<Upload> {
    this.expect(upload.id);
    return this.store.create(upload);
  }

  override async remove(id: string): Promise<void> {
    this.expect(id);
    await this.store.remove(id);
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    this.expect(id);
    await this.beforeWrite(offset);
    return this.store.write(stream, id, offset);
  }

  override async getUpload(id: string): Promise<Upload> {
    this.expect(id);
    return this.store.getUpload(id);
  }

  /** The length of an upload is known from its creation on. */
  override declareUploadLength(): Promise<void> {
    return Promise.reject(new Error('the length of an upload cannot change'));
  }

  private expect(id: string): void {
    if (id !== this.checkedId) {
      throw new Error('the request was checked for another upload');
    }
  }
}
