/** The names of browsers, by what their user agent contains. Later ones name earlier ones, too. */
const BROWSERS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /^(?=.*\bVersion\/).*\bSafari\//],
];

const SYSTEMS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

/** The browser and the operating system that a user agent names. A browser can claim any. */
export function nameBrowser(userAgent: string): {
  readonly browser: string | undefined;
  readonly os: string | undefined;
} {
  return { browser: nameIn(BROWSERS, userAgent), os: nameIn(SYSTEMS, userAgent) };
}

function nameIn(
  list: readonly (readonly [name: string, mark: RegExp])[],
  userAgent: string,
): string | undefined {
  return list.find(([, mark]) => mark.test(userAgent))?.[0];
}
