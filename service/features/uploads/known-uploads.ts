import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  array,
  integer,
  maxLength,
  maxValue,
  minValue,
  number,
  object,
  pipe,
  string,
} from 'valibot';
import { sendApiError } from '../../platform/http/api-error.js';
import { parseJson } from '../../platform/http/request/json-body.js';
import { announcesTooMuch, readBody } from '../../platform/http/request/request-body.js';
import { sendError, sendJson } from '../../platform/http/responses.js';
import type { Principal } from '../../oauth/tokens/bearer.js';
import { listedName, MAX_NAME_LENGTH } from './tus/metadata.js';
import type { NamedFile, UploadRepository } from './repository/upload-repository.js';

/** How many files one question may be about. */
const MAX_FILES = 1000;

/** Room for a thousand of the longest names, in bytes. */
const MAX_QUESTION_BYTES = 1024 * 1024;

/** Members with other names are ignored: a later version may know them. */
const QUESTION = object({
  files: pipe(
    array(
      object({
        name: pipe(string(), maxLength(MAX_NAME_LENGTH)),
        size: pipe(number(), integer(), minValue(0), maxValue(Number.MAX_SAFE_INTEGER)),
      }),
    ),
    maxLength(MAX_FILES),
  ),
});

const SHAPE =
  `{"files": [{"name", "size"}]} with ${MAX_FILES} files at most, ` +
  `names of ${MAX_NAME_LENGTH} characters at most and sizes in bytes`;

/** Answers which of some files the caller has here already, by name and size. */
export async function answerKnown(
  uploads: UploadRepository,
  caller: Principal,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const result = announcesTooMuch(request, MAX_QUESTION_BYTES)
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
  const listed = files.map(({ name, size }) => ({ name: listedName(name), size }));
  const found = await uploads.known(caller, listed);
  sendJson(response, 200, {
    known: found.map(({ place, upload }) => ({
      // The name exactly as it was asked for; the listed name may be a cleaned one.
      name: files[place]?.name,
      size: upload.size,
      sha256: upload.sha256,
      client_upload_id: upload.clientUploadId ?? null,
      created_at: upload.createdAt.toISOString(),
    })),
  });
}

/** The files without those that are asked for twice. */
function eachOnce(files: readonly NamedFile[]): NamedFile[] {
  return [...new Map(files.map((file) => [`${file.size} ${file.name}`, file])).values()];
}
