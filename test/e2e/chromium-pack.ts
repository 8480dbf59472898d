import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An unpacked Chromium: the program and the environment it must be started with. */
export interface UnpackedChromium {
  /** Absolute path of the program. */
  readonly executablePath: string;
  /** Environment for the browser process: the caller's own plus library and font search paths. */
  readonly env: Record<string, string | undefined>;
}

/**
 * Unpacks the Chromium that `@sparticuz/chromium` carries into the OS temp folder, once per package
 * version and user, and answers where it is. Nothing is downloaded.
 *
 * The package also carries libnss3, libnspr4 and libexpat, which a bare Linux lacks, but unpacks them only
 * where it believes to be on Amazon Linux. It therefore runs in a child process with that environment and a
 * separate temp folder; a rename then puts the finished folder in place, so that several test workers
 * may do this at once and none sees a half-written program.
 *
 * @param tempFolder where to unpack to; the OS temp folder by default.
 * @throws Error on anything but Linux on x64, for which the package has no program.
 */
export async function unpackChromium(tempFolder: string = tmpdir()): Promise<UnpackedChromium> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      'The packed Chromium runs on Linux x64 only: install Chrome, or name a browser in CHROME_PATH.',
    );
  }
  const folder = join(
    tempFolder,
    `test-chromium-${await packageVersion()}-${String(process.getuid?.() ?? 0)}`,
  );
  if (!(await isComplete(folder))) await install(folder);
  await refuseForeign(folder);
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']]
        .filter(Boolean)
        .join(':'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

async function packageVersion(): Promise<string> {
  // The package does not export its package.json: go up from its entry file.
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const parsed: unknown = JSON.parse(
    await readFile(join(dirname(entry), '..', '..', 'package.json'), 'utf8'),
  );
  if (typeof parsed !== 'object' || parsed === null || !('version' in parsed))
    throw new Error('@sparticuz/chromium has no version.');
  return String(parsed.version);
}

async function isComplete(folder: string): Promise<boolean> {
  const parts = [
    'chromium',
    'fonts.conf',
    'al2023/lib/libnss3.so',
    'fonts/fonts/Open_Sans/OpenSans-Regular.ttf',
  ];
  const found = await Promise.all(parts.map((part) => stat(join(folder, part)).then(...existence)));
  return found.every(Boolean);
}

const existence = [() => true, () => false] as const;

async function install(folder: string): Promise<void> {
  const staging = await mkdtemp(`${folder}-`);
  try {
    await run(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        "await (await import('@sparticuz/chromium')).default.executablePath()",
      ],
      {
        cwd: import.meta.dirname,
        env: { ...process.env, TMPDIR: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
      },
    );
    await mkdir(join(staging, 'font-cache'), { recursive: true });
    await writeFile(join(staging, 'fonts.conf'), fontConfiguration(folder));
    await moveIntoPlace(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Puts a finished folder in place; when another worker was first, its folder stays. */
async function moveIntoPlace(staging: string, folder: string): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      await rename(staging, folder);
      return;
    } catch (error) {
      if (await isComplete(folder)) return;
      if (attempt === 2) throw error;
      // A temp cleaner has deleted parts of the folder: remove the rest.
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The temp folder is shared: never start a program that another user has put there. */
async function refuseForeign(folder: string): Promise<void> {
  const { uid, mode } = await stat(folder);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) {
    throw new Error(`${folder} belongs to, or is writable by, another user: remove it.`);
  }
}

/** The package's own font (a bare Linux has none) first, then whatever the machine has. */
function fontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <cachedir>${folder}/font-cache</cachedir>
</fontconfig>
`;
}
