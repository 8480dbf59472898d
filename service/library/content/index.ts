export type { ContentAddresses } from './content-urls.js';
export { redirectToContent } from './redirect-to-content.js';
