export { AllowInBrowser, AllowNotice } from './allow-in-browser.js';
export { Busy } from './busy.js';
export { Code } from './code.js';
export { AccountSwitchNotice, ApprovedNotice } from './notices.js';
export { Numbers } from './numbers.js';
export type { SignInControls, SignInNeeds, SignInPanel } from './panel.js';
export { startSignIn } from './start.js';
export { Welcome } from './welcome.js';
