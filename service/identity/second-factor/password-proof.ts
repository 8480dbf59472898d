import type { CsrfTokens } from '../csrf/csrf.js';

/** How long a user may take to enter the code after the password, in milliseconds. */
const PROOF_MS = 10 * 60_000;

/**
 * Proves that a user has entered the right password in this browser. The page for the code carries it, so that nothing
 * is stored between the two steps. A change of the password ends it.
 */
export class PasswordProofs {
  constructor(
    private readonly formTokens: CsrfTokens,
    private readonly passwordHashOf: (accountId: string) => Promise<string | undefined>,
    private readonly now: () => Date,
  ) {}

  /** @param csrf the anti-forgery token of the form. */
  async make(accountId: string, csrf: string): Promise<string> {
    const ends = String(this.now().getTime() + PROOF_MS);
    return [accountId, ends, await this.mac(accountId, ends, csrf)].join('.');
  }

  /** The id of the user whose password was entered; undefined when the proof is not valid for this form. */
  async read(proof: string, csrf: string): Promise<string | undefined> {
    const [, accountId = '', ends = '', mac = ''] =
      /^([\w-]{1,64})\.(\d{1,16})\.([\w-]{43})$/.exec(proof) ?? [];
    const isValid =
      Number(ends) > this.now().getTime() &&
      this.formTokens.matches(mac, await this.mac(accountId, ends, csrf));
    return isValid ? accountId : undefined;
  }

  private async mac(accountId: string, ends: string, csrf: string): Promise<string> {
    const hash = (await this.passwordHashOf(accountId)) ?? '';
    return this.formTokens.make('password-proof', accountId, ends, csrf, hash);
  }
}
