export { ActionStepSection } from './action-step-section.js';
export { BatchFailures, BatchLine } from './batch-notices.js';
export { DocumentCard, useExportTitle } from './document-card.js';
export type { OpenDocumentWatch } from './document-state.js';
export type { DocumentUploads } from './document-uploads.js';
export type { DocumentsPanel } from './panel.js';
export { startDocuments } from './start.js';
