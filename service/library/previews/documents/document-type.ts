/** The media type of documents. */
export const PDF_TYPE = 'application/pdf';

/** There are no pictures of a larger document, in bytes: it is in memory as a whole. */
export const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;
