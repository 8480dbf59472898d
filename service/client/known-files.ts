/** How many files one question is about. */
const MAX_FILES = 1000;

/** Larger files are not read to be compared: browsers hash a file only as a whole, in memory. */
const MAX_BYTES = 512 * 1024 * 1024;

interface Known {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Finds files that the user has uploaded already: of the same name, size and SHA-256. Without an answer, none is.
 * @param to  the words and addresses of the button to upload
 * @param found  called for each file, as soon as that is known
 */
export async function knownFiles(
  files: readonly File[],
  to: Readonly<DOMStringMap>,
  found: (file: File, isKnown: boolean) => void,
): Promise<void> {
  for (let start = 0; start < files.length; start += MAX_FILES) {
    const some = files.slice(start, start + MAX_FILES);
    const known = await request(some, to).catch(() => []);
    const alike = new Map(
      some.map((file) => [
        file,
        known.filter(({ name, size }) => name === file.name && size === file.size),
      ]),
    );
    // Those that are new need not wait until others are read.
    for (const [file, same] of alike) {
      if (same.length === 0) {
        found(file, false);
      }
    }
    for (const [file, same] of alike) {
      if (same.length > 0) {
        const digest = await digestOf(file).catch(() => undefined);
        found(
          file,
          same.some(({ sha256 }) => sha256 === digest),
        );
      }
    }
  }
}

async function request(files: readonly File[], to: Readonly<DOMStringMap>): Promise<Known[]> {
  const { endpoint = '', csrf = '', workspace = '' } = to;
  const response = await fetch(`${endpoint}/known`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-CSRF-Token': csrf,
      'X-Workspace': workspace,
    },
    body: JSON.stringify({ files: files.map(({ name, size }) => ({ name, size })) }),
  });
  return response.ok ? ((await response.json()) as { known: Known[] }).known : [];
}

/** Undefined where the page cannot compute it: without https, or for a large file. */
async function digestOf(file: File): Promise<string | undefined> {
  if (!isSecureContext || file.size > MAX_BYTES) {
    return undefined;
  }
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
