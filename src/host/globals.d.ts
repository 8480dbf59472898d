/**
 * Globals of the host that Adobe's type package (7.3.1) leaves out, each with where it is documented.
 * This is the only place that widens what `src/` may use; keep it as small as it is.
 * @packageDocumentation
 */

/** Timers: no reference page; used by the documentation's own samples (scripting/samples/LifeTime.psjs). */
declare function setTimeout(callback: () => void, delayMs: number): number;
declare function clearTimeout(timer: number): void;

/** Guide "How to": CommonJS `require` of the host's modules. Absent in a browser, hence the `typeof` test. */
declare function require(module: string): unknown;

/** Guide "How to": what `require` of one of the plugin's own files returns. Absent in a browser. */
declare const module: { exports: unknown } | undefined;

/** Changelog 8.0.1: `navigator.language`; Clipboard page: `navigator.clipboard.writeText`. */
declare const navigator: {
  readonly language: string;
  readonly clipboard: { writeText(text: string): unknown };
};

/** The documentation mentions `window.x` but has no page for it. In UXP only its events are used (changelog 9.2). */
declare const window: unknown;

/** Guide "How to". Used only for redacted logs. */
declare const console: { log(text: string): void; error(text: string): void };
