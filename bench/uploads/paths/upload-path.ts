/** Where photos go, and with which token. */
export interface Destination {
  /** Origin of the service, without a slash at the end. */
  readonly baseUrl: string;
  readonly accessToken: string;
  /** Uploads at once, for the ways that let it be chosen. */
  readonly concurrency: number;
}

/**
 * One path of upload. It prepares everything and returns a function that uploads all files. Only this function is
 * measured.
 */
export type UploadPath = (files: readonly File[], to: Destination) => Promise<() => Promise<void>>;

/** Works `files` off, several at once. */
export async function eachOf(
  files: readonly File[],
  concurrency: number,
  upload: (file: File) => Promise<void>,
): Promise<void> {
  const waiting = [...files];
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      await upload(file);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
