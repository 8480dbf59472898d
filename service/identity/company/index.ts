export type { CompanySignIn } from './company-sign-in.js';
