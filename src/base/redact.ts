/**
 * The one place that keeps secrets out of texts. Everything that leaves the plugin as text, other than
 * a request to the service itself, goes through `redact`: log lines, diagnostics, error causes.
 *
 * It works twice over: every secret the plugin ever held is remembered and cut out wherever it
 * stands, and whatever merely looks like a token or a code field is cut out too.
 */
const REMOVED = '[removed]';

const PATTERNS: readonly RegExp[] = [
  /\bsvc_[a-z]+_[\w~+/.=-]*/g,
  /\b(bearer|basic)\s+[\w~+/.=-]+/gi,
  /\b(access_token|refresh_token|device_code|user_code|client_secret|code_verifier|token)(["']?\s*[:=]\s*["']?)[^\s"'&,;}]+/gi,
];

export class Redactor {
  private readonly secrets = new Set<string>();

  /** Remembers a secret for as long as the plugin runs. Short texts are refused: cutting them out would shred every log. */
  remember(secret: string): void {
    if (secret.length >= 8) this.secrets.add(secret);
  }

  /** `text` with everything secret replaced. */
  redact(text: string): string {
    let clean = text;
    for (const secret of this.secrets) {
      clean = clean.split(secret).join(REMOVED);
      const encoded = encodeURIComponent(secret);
      if (encoded !== secret) clean = clean.split(encoded).join(REMOVED);
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
