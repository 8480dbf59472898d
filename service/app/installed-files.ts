import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the files for a deployment are in this version. */
export const DEPLOY_FOLDER = fileURLToPath(new URL('../../deploy', import.meta.url));

/** The comment with the place where a file of `deploy/` is installed. */
const PLACE = /^# (\/[\w./-]+)/m;
/** The comment that numbers the content of such a file. A file without it is of the first kind. */
const CONFIGURATION = /^# Configuration (\d+)$/m;

/**
 * Compares the installed files of this machine with those of this version. An upgrade of the code alone leaves the
 * unit, the proxy and the scripts unchanged. Files that are not installed are skipped.
 * @param deployFolder the folder `deploy/` of this version.
 * @param root the root folder of the installed files; `/` except in tests.
 * @returns a warning for the operator about each file that is older, one line each.
 */
export async function warningsAboutInstalled(
  deployFolder: string,
  root = '/',
): Promise<readonly string[]> {
  const names = await readdir(deployFolder).catch(() => []);
  const warnings = await Promise.all(
    names.sort().map(async (name) => {
      const current = await readFile(path.join(deployFolder, name), 'utf8');
      const place = PLACE.exec(current)?.[1];
      if (place === undefined) {
        return [];
      }
      // Files that this user may not read cannot be compared.
      const installed = await readFile(path.join(root, place), 'utf8').catch(() => undefined);
      return installed === undefined || numberOf(installed) >= numberOf(current)
        ? []
        : [
            `${place} is older than this version of the service: install deploy/${name} again ("A new version" in docs/deployment.md).`,
          ];
    }),
  );
  return warnings.flat();
}

function numberOf(text: string): number {
  return Number(CONFIGURATION.exec(text)?.[1] ?? 1);
}
