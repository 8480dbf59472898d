import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER = 'creative-workspace.lrplugin';

/**
 * The files of the Lightroom Classic plug-in, by their path in its archive, built for one service.
 *
 * @param root the folder of the repository
 * @param version `MAJOR.MINOR.REVISION`
 * @throws {Error} when a file has no place for the version or the address
 */
export async function lightroomFiles(
  root: string,
  version: string,
  serviceBaseUrl: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const source = join(root, 'lightroom', FOLDER);
  const [major, minor, revision] = version.split('.').map((part) => Number.parseInt(part, 10));
  const changes: Readonly<Record<string, readonly [RegExp, string]>> = {
    'Config.lua': [/baseUrl = '[^']*'/, `baseUrl = '${serviceBaseUrl}'`],
    'Info.lua': [
      /VERSION = \{[^}]*\}/,
      `VERSION = { major = ${major}, minor = ${minor}, revision = ${revision} }`,
    ],
  };
  const files = new Map<string, Uint8Array>();
  for (const name of (await readdir(source)).sort()) {
    const content = await readFile(join(source, name));
    const [place, text] = changes[name] ?? [];
    files.set(
      `${FOLDER}/${name}`,
      place === undefined || text === undefined
        ? content
        : Buffer.from(replaceOnce(content.toString('utf8'), place, text, name)),
    );
  }
  return files;
}

function replaceOnce(source: string, place: RegExp, text: string, name: string): string {
  if (!place.test(source)) {
    throw new Error(`There is no ${String(place)} in ${name}.`);
  }
  return source.replace(place, () => text);
}
