import type { HttpResponse } from '../host/http.js';

/** What an upload service supports beyond the core of tus 1.0.0, from its answer to OPTIONS. */
export interface Capabilities {
  /** The request that creates an upload may bring bytes (`creation-with-upload` of tus). */
  readonly creationWithUpload: boolean;
  /** A repeated creation finds the upload by its `client_upload_id` (`client-upload-id`, our own extension). */
  readonly clientUploadId: boolean;
  /** The service sends digests of what it holds (`repr-digest`, [RFC 9530](https://www.rfc-editor.org/rfc/rfc9530)). */
  readonly reprDigest: boolean;
  /** The service finds duplicates (`known-uploads`, an extension of this project). */
  readonly knownUploads: boolean;
  /** An upload can go to a project (`project-destination`, an extension of this project). */
  readonly projectDestination: boolean;
  /** An upload can become a new version of a photo (`photo-versions`, an extension of this project). */
  readonly photoVersions: boolean;
  /** The service signs receipts (`upload-receipts`, an extension of this project). */
  readonly uploadReceipts: boolean;
  /** The service takes reports of what waits (`device-queue`, an extension of this project). */
  readonly deviceQueue: boolean;
  /** The service takes the picture of a film (`upload-posters`, an extension of this project). */
  readonly uploadPosters: boolean;
  /** The service lists files as the browser does (`photo-list`, an extension of this project). */
  readonly photoList: boolean;
  /** Largest upload in bytes; null when the service names none. */
  readonly maxSize: number | null;
}

/**
 * Whether a response to OPTIONS is one of a tus service
 * ([tus 1.0.0, OPTIONS](https://tus.io/protocols/resumable-upload#options)): it has one of these headers.
 */
export function isAboutTus(response: HttpResponse): boolean {
  return ['Tus-Version', 'Tus-Resumable', 'Tus-Extension', 'Tus-Max-Size'].some(
    (name) => response.header(name) !== null,
  );
}

/** Assumed for a service that announces nothing: uploads can be created, no more. */
export const BASIC_CAPABILITIES: Capabilities = {
  creationWithUpload: false,
  clientUploadId: false,
  reprDigest: false,
  knownUploads: false,
  projectDestination: false,
  photoVersions: false,
  uploadReceipts: false,
  deviceQueue: false,
  uploadPosters: false,
  photoList: false,
  maxSize: null,
};

/**
 * Reads the capabilities of a service ([tus 1.0.0, OPTIONS](https://tus.io/protocols/resumable-upload#options)). An
 * answer without these headers gives {@link BASIC_CAPABILITIES}.
 * @param header  a header of the answer by its name; null when it has none
 */
export function readCapabilities(header: (name: string) => string | null): Capabilities {
  const said = header('Tus-Extension') ?? '';
  const extensions = new Set(
    said.length > MAX_LIST_LENGTH ? [] : said.split(',').map((name) => name.trim()),
  );
  const maxSize = header('Tus-Max-Size') ?? '';
  return {
    creationWithUpload: extensions.has('creation-with-upload'),
    clientUploadId: extensions.has('client-upload-id'),
    reprDigest: extensions.has('repr-digest'),
    knownUploads: extensions.has('known-uploads'),
    projectDestination: extensions.has('project-destination'),
    photoVersions: extensions.has('photo-versions'),
    uploadReceipts: extensions.has('upload-receipts'),
    deviceQueue: extensions.has('device-queue'),
    uploadPosters: extensions.has('upload-posters'),
    photoList: extensions.has('photo-list'),
    // 0 counts as no size: no photo would fit.
    maxSize: /^[1-9]\d{0,14}$/.test(maxSize) ? Number(maxSize) : null,
  };
}

/** A longer list of extensions is not read. UTF-16 code units. */
const MAX_LIST_LENGTH = 2_000;
