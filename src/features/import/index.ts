export { detectProblem } from './file-type-check.js';
export {
  type DocumentOutcome,
  type ImportState,
  PhotoImporter,
  type PhotoImporterOptions,
} from './photo-importer.js';
