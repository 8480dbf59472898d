/** What an upload service can do beyond tus 1.0.0, as it says itself when it is asked (OPTIONS). */
export interface Capabilities {
  /** The creation of an upload may bring bytes (`creation-with-upload` of tus). */
  readonly creationWithUpload: boolean;
  /** A creation that is repeated finds the upload by its `client_upload_id` (`client-upload-id`, our own extension). */
  readonly clientUploadId: boolean;
  /** The service tells the digest of what it holds ([RFC 9530](https://www.rfc-editor.org/rfc/rfc9530); `repr-digest`). */
  readonly reprDigest: boolean;
  /** The service says which photos it holds already (`known-uploads`, our own extension). */
  readonly knownUploads: boolean;
  /** Largest upload in bytes; null when the service names none. */
  readonly maxSize: number | null;
}
