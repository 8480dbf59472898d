/**
 * `npx tsx scripts/api-requests.ts`: writes the requests of the OpenAPI document into docs/http-api.md.
 * `test/docs/http-api.test.ts` fails when they differ.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/http-api.md');
const DOCUMENT = join(ROOT, 'service/app/openapi.json');
const PREFIX = '/api/v1';
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];

interface Operation {
  readonly summary: string;
  readonly security?: readonly { readonly bearer: readonly string[] }[];
}

/** The list of requests in Markdown, without OPTIONS and the prefix, each with the first sentence of its summary. */
function apiRequests(): string {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const lines = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, { summary, security }]) => {
        const scopes = security?.flatMap(({ bearer }) => bearer);
        const needs = scopes === undefined ? '' : ` (${scopes.join(', ') || 'no token'})`;
        const [sentence = ''] = summary.split(/\.(?: |$)/);
        return `- \`${method.toUpperCase()} ${path.replace(PREFIX, '')}\`${needs}: ${sentence}`;
      }),
  );
  return lines.join('\n');
}

/** The page with the list between its two comments. */
export function withRequests(page: string): string {
  return page.replace(
    /(<!-- requests[^>]*-->\n\n)[\s\S]*?(\n\n<!-- end -->)/,
    (_, start: string, end: string) => start + apiRequests() + end,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, withRequests(readFileSync(PAGE, 'utf8')));
}
