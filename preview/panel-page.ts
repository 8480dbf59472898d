import { readOptions } from './app/options.js';

const PRELUDE = [
  '<link rel="stylesheet" href="/app/themes.css">',
  '<link rel="stylesheet" href="/app/panel-host.css">',
  '<script type="module" src="/app/panel-host.js"></script>',
].join('');

/**
 * Turns the bundle's page into the panel's page: adds the host's part (theme, widgets, `window.creativeApp`) before
 * everything else, and keeps all of the bundle's page. Page translation would replace texts that Preact has to update.
 *
 * @param html the bundle's index.html.
 * @param query the query string of the request; only `theme` is used.
 */
export function makePanelPage(html: string, query: string): string {
  const { theme } = readOptions(query);
  // The host's part is a module, which browsers run after parsing. `defer` makes the bundle's scripts wait for it.
  const waiting = html.replace(
    /<script\b(?![^>]*\b(?:type=["']?module|defer)\b)(?=[^>]*\bsrc=)/gi,
    '<script defer',
  );
  const themed = /<html\b/i.test(waiting)
    ? waiting.replace(/<html\b/i, `<html data-theme="${theme}" translate="no"`)
    : waiting;
  return /<head\b[^>]*>/i.test(themed)
    ? themed.replace(/<head\b[^>]*>/i, (head) => head + PRELUDE)
    : PRELUDE + themed;
}
