import { readFileSync } from 'node:fs';
import type { WholeHandler } from '../http/handler.js';
import { sendJson } from '../http/responses.js';

/** The description of the data API ([OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html)). */
const DESCRIPTION: unknown = JSON.parse(
  readFileSync(new URL('./openapi.json', import.meta.url), 'utf8'),
);

/** Answers `GET /api/v1/openapi.json`. Everybody may read it, since it holds no data of anybody. */
export const answerOpenApi: WholeHandler = (_request, response) => {
  sendJson(response, 200, DESCRIPTION);
  return Promise.resolve();
};
