/**
 * Sign-in at the OpenID provider of a company. `CompanySignIn` sends a browser there and takes the answer, `newcomerAccount`
 * makes or links an account, and `SealedCookie` keeps both attempts in the browser.
 */
export type { CompanySignIn } from './company-sign-in.js';
