/** How long tokens and codes live, in seconds. */
export interface TokenLifetimes {
  /**
   * Life of an access token (`expires_in`,
   * [RFC 6749 §5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)). Default 3600.
   */
  readonly accessTokenSeconds: number;
  /** Life of a refresh token. Each rotation gives a new one with a new life. Default 90 days. */
  readonly refreshTokenSeconds: number;
  /**
   * Life of a device code and its user code (`expires_in`,
   * [RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)). Default 900.
   */
  readonly deviceCodeSeconds: number;
  /**
   * The shortest time between two polls (`interval`,
   * [RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)). Default 5.
   */
  readonly pollIntervalSeconds: number;
}
