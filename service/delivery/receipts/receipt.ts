import {
  array,
  number,
  object,
  optional,
  picklist,
  safeParse,
  string,
  type InferOutput,
} from 'valibot';

/** The `typ` of a receipt ([RFC 7515 §4.1.9](https://www.rfc-editor.org/rfc/rfc7515#section-4.1.9)). */
export const RECEIPT_TYPE = 'upload-receipt+jwt';

/** The only algorithm of receipts: every browser can verify it. */
export const RECEIPT_ALGORITHM = 'ES256';

/** How many photos one receipt lists at most. */
export const MAX_IN_RECEIPT = 10_000;

/** How many decisions and comments one receipt has at most, so that the page without scripts takes it. */
export const MAX_FEEDBACK_IN_RECEIPT = 10_000;

const PAYLOAD = object({
  /** The origin of the service that signed it. */
  iss: string(),
  /** When it was signed, in seconds since 1970. */
  iat: number(),
  workspace: string(),
  /** The display name of the user who requested it. */
  issued_to: string(),
  uploads: array(
    object({
      id: string(),
      name: string(),
      /** In bytes. */
      size: number(),
      /** In hex. */
      sha256: string(),
      /** The media type, as the app reported it. */
      type: string(),
      /** In ISO 8601. */
      uploaded: string(),
      uploaded_by: string(),
      /** 1 for the first upload of a photo. */
      version: number(),
      /** What guests of links said about exactly these bytes. Missing if nobody said anything, and in older receipts. */
      feedback: optional(
        array(
          object({
            id: string(),
            kind: picklist(['approval', 'changes', 'comment']),
            /** The name that the guest entered. */
            by: string(),
            /** In ISO 8601. */
            at: string(),
            /** What a comment points to: a page, a time in seconds, and a spot as parts of width and height. */
            page: optional(number()),
            start: optional(number()),
            end: optional(number()),
            x: optional(number()),
            y: optional(number()),
          }),
        ),
      ),
    }),
  ),
});

/** The payload of a receipt, a JWT Claims Set ([RFC 7519 §4](https://www.rfc-editor.org/rfc/rfc7519#section-4)). */
export type Receipt = InferOutput<typeof PAYLOAD>;

export type ReceiptUpload = Receipt['uploads'][number];

export type ReceiptFeedback = NonNullable<ReceiptUpload['feedback']>[number];

/** Reads the payload of a receipt whose signature was verified; undefined for another form. */
export function readPayload(bytes: Uint8Array): Receipt | undefined {
  try {
    const { success, output } = safeParse(PAYLOAD, JSON.parse(new TextDecoder().decode(bytes)));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}
