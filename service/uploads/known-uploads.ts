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
  safeParse,
  string,
} from 'valibot';
import { announcesTooMuch, readBody } from '../http/request-body.js';
import { sendError, sendJson } from '../http/responses.js';
import type { Caller } from '../oauth/bearer.js';
import { invalid, sendEarly } from './early-answers.js';
import { listedName, MAX_NAME_LENGTH } from './metadata.js';
import type { EarlyAnswer } from './upload-body.js';
import type { NamedFile, UploadTable } from './upload-table.js';

/** How many files one question may be about. */
const MAX_FILES = 1000;

/** Room for a thousand of the longest names, in bytes. */
const MAX_QUESTION_BYTES = 1024 * 1024;

/** Members of other names are left alone: a later version may know them. */
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

/** Answers which of some files the caller has here already, by name and size. */
export async function answerKnown(
  uploads: UploadTable,
  caller: Caller,
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
  const files = readQuestion(request.headers['content-type'], result.body);
  if ('status' in files) {
    sendEarly(response, files);
    return;
  }
  const listed = files.map(({ name, size }) => ({ name: listedName(name), size }));
  const found = await uploads.known(caller, listed);
  sendJson(response, 200, {
    known: found.map(({ place, upload }) => ({
      // As it was asked for, which the list may show cleaned.
      name: files[place]?.name,
      size: upload.size,
      sha256: upload.sha256,
      client_upload_id: upload.clientUploadId ?? null,
      created_at: upload.createdAt.toISOString(),
    })),
  });
}

/** The files that are asked for, each once; or why that cannot be said. */
function readQuestion(type: string | undefined, body: Buffer): NamedFile[] | EarlyAnswer {
  if (!/^application\/json *(;|$)/i.test(type ?? '')) {
    return {
      status: 415,
      error: 'unsupported_media_type',
      description: 'the body must be application/json',
    };
  }
  const { success, output } = safeParse(QUESTION, parse(body));
  if (!success) {
    return invalid(
      `the body must be {"files": [{"name", "size"}]} with ${MAX_FILES} files at most, ` +
        `names of ${MAX_NAME_LENGTH} characters at most and sizes in bytes`,
    );
  }
  return [...new Map(output.files.map((file) => [`${file.size} ${file.name}`, file])).values()];
}

/** @returns undefined for what is no JSON in UTF-8. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
