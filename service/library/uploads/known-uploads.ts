import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  array,
  description,
  integer,
  literal,
  maxLength,
  maxValue,
  minValue,
  number,
  object,
  optional,
  pipe,
  regex,
  string,
  type InferOutput,
} from 'valibot';
import { sendApiError } from '../../kernel/http/api-error.js';
import { parseJson } from '../../kernel/http/request/json-body.js';
import { declaresTooLarge, readBody } from '../../kernel/http/request/request-body.js';
import { sendError, sendJson } from '../../kernel/http/responses.js';
import type { Principal } from '../../oauth/index.js';
import { BY_DOCUMENT, DOCUMENT, ID, listedName, MAX_NAME_LENGTH } from './tus/metadata.js';
import type { UploadRepository } from './repository/upload-repository.js';

/** How many files one question may be about. */
const MAX_FILES = 1000;

/** Room for a thousand of the longest names, in bytes. */
const MAX_QUESTION_BYTES = 1024 * 1024;

const AS_IN_METADATA = 'As in Upload-Metadata';

/** Members with other names are ignored: a later version may know them. */
export const QUESTION = object({
  files: pipe(
    array(
      object({
        name: pipe(string(), maxLength(MAX_NAME_LENGTH)),
        size: pipe(number(), integer(), minValue(0), maxValue(Number.MAX_SAFE_INTEGER)),
        document: optional(pipe(string(), regex(DOCUMENT), description(AS_IN_METADATA))),
        project: optional(pipe(string(), regex(ID), description(AS_IN_METADATA))),
        version_by: optional(pipe(literal(BY_DOCUMENT), description(AS_IN_METADATA))),
      }),
    ),
    maxLength(MAX_FILES),
  ),
});

const SHAPE =
  `{"files": [{"name", "size"}]} with ${MAX_FILES} files at most, ` +
  `names of ${MAX_NAME_LENGTH} characters at most and sizes in bytes; ` +
  'files may have a document, a version_by and a project as Upload-Metadata takes them';

/** A file of the question. */
type File = InferOutput<typeof QUESTION>['files'][number];

/**
 * Answers which of some files the caller has here already, by name and size, and of which photos they would be new
 * versions.
 */
export async function answerKnown(
  uploads: UploadRepository,
  caller: Principal,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const result = declaresTooLarge(request, MAX_QUESTION_BYTES)
    ? { problem: 'too_large' as const }
    : await readBody(request, MAX_QUESTION_BYTES);
  if ('problem' in result) {
    if (result.problem === 'too_large') {
      const limit = `the body may have ${MAX_QUESTION_BYTES} bytes at most`;
      sendError(response, 413, 'request_too_large', limit);
    }
    return;
  }
  const question = parseJson(request, result.body, QUESTION, SHAPE);
  if ('refused' in question) {
    sendApiError(response, question.refused);
    return;
  }
  const files = eachOnce(question.value.files);
  const listed = files.map((file) => ({
    ...file,
    name: listedName(file.name),
    byDocument: file.version_by !== undefined,
  }));
  const found = await uploads.known(caller, listed);
  const previous = await uploads.previous(caller, listed);
  sendJson(response, 200, {
    known: found.map(({ place, upload }) => ({
      // The name exactly as requested; the listed name may be sanitized.
      name: files[place]?.name,
      size: upload.size,
      sha256: upload.sha256,
      client_upload_id: upload.clientUploadId ?? null,
      created_at: upload.createdAt.toISOString(),
    })),
    previous: previous.map(({ place, id, sha256, project, match, createdAt }) => ({
      name: files[place]?.name,
      size: files[place]?.size,
      document: files[place]?.document ?? null,
      id,
      sha256,
      project,
      match,
      created_at: createdAt.toISOString(),
    })),
  });
}

/** The files without duplicates. */
function eachOnce(files: readonly File[]): File[] {
  const keyOf = ({ name, size, document, project, version_by: by }: File): string =>
    JSON.stringify([name, size, document, project, by]);
  return [...new Map(files.map((file) => [keyOf(file), file])).values()];
}
