import type { UxpOs } from './uxp-module.js';

/** The first build of Windows 11. */
const WINDOWS_11_BUILD = 22_000;

/**
 * The operating system as users know it, such as "macOS 15". Hosts report the versions of the kernel instead.
 * @returns an empty text for one that is not known
 */
export function operatingSystem(os: UxpOs): string {
  let platform: string;
  let release: string;
  try {
    platform = os.platform();
    release = os.release();
  } catch {
    return '';
  }
  const [major = 0, , build = 0] = release.split('.').map(Number);
  if (platform === 'darwin') {
    return macOs(major);
  }
  // OS page: "win32" or "win10".
  if (platform.startsWith('win')) {
    return build >= WINDOWS_11_BUILD ? 'Windows 11' : 'Windows 10';
  }
  return '';
}

/** Darwin 20 to 24 are macOS 11 to 15. Darwin 25 is macOS 26, and the numbers are one apart since. */
function macOs(darwin: number): string {
  if (!(darwin >= 20)) {
    return 'macOS';
  }
  return `macOS ${darwin < 25 ? darwin - 9 : darwin + 1}`;
}
