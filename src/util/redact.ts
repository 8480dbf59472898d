/**
 * The one place that keeps secrets out of texts. All text that leaves the plugin, other than a request to the service
 * itself, passes through `redact`: log lines, diagnostics, error causes.
 *
 * It works in two ways: every secret the plugin ever held is cut out everywhere, and so is any text that resembles a
 * token or a code field.
 * @packageDocumentation
 */
import { encodeForm } from './form-encoding.js';

const REMOVED = '[removed]';

const PATTERNS: readonly RegExp[] = [
  /\bsvc_[a-z]+_[\w~+/.=-]*/g,
  /\b(bearer|basic)\s+[\w~+/.=-]+/gi,
  /\b(access_token|refresh_token|refresh_attempt|device_code|user_code|client_secret|code_verifier|token)(["']?\s*[:=]\s*["']?)[^\s"'&,;}]+/gi,
];

/** Removes the plugin's secrets from texts. */
export class Redactor {
  /** Every secret in each way it may be written, the longest first: one may begin with another. */
  private spellings: readonly string[] = [];

  /**
   * Remembers a secret while the plugin runs. Texts of fewer than 8 UTF-16 code units are refused: cutting them out
   * would shred every log.
   */
  remember(secret: string): void {
    if (secret.length < 8) {
      return;
    }
    const spellings = new Set([...this.spellings, ...spellingsOf(secret)]);
    this.spellings = [...spellings].sort((a, b) => b.length - a.length);
  }

  /** Gives `text` with everything secret replaced by `[removed]`. */
  redact(text: string): string {
    let clean = text;
    for (const spelling of this.spellings) {
      clean = clean.split(spelling).join(REMOVED);
    }
    for (const pattern of PATTERNS) {
      clean = clean.replace(pattern, (_match, name?: unknown, separator?: unknown) =>
        typeof name === 'string' && typeof separator === 'string'
          ? `${name}${separator}${REMOVED}`
          : REMOVED,
      );
    }
    return clean;
  }
}

/** A secret as it is, as it looks in a form or URL, and as it looks inside JSON text. */
function spellingsOf(secret: string): readonly string[] {
  const inForm = encodeForm({ '': secret }).slice(1);
  const inUrl = inForm
    .replace(/\+/g, '%20')
    .replace(/%(21|27|28|29|7E)/g, (code) => decodeURIComponent(code));
  return [secret, inForm, inUrl, JSON.stringify(secret).slice(1, -1)];
}
