import { openApiDocument } from '../service/app/openapi.js';
import { SERVICE_ROUTES } from '../test/service/support/service-routes.js';

const PREFIX = '/api/v1';
const LIST = /(<!-- requests: npm run generate -->\n\n)[\s\S]*?(\n\n<!-- end -->)/;
const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];

interface Operation {
  readonly summary: string;
  readonly security?: readonly { readonly bearer: readonly string[] }[];
}

/** The list of requests in Markdown, without OPTIONS and the prefix, each with the first sentence of its summary. */
function apiRequests(): string {
  const { paths } = openApiDocument(SERVICE_ROUTES);
  const lines = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => {
        const { summary, security } = operation as Operation;
        const scopes = security?.flatMap(({ bearer }) => bearer);
        const needs = scopes === undefined ? '' : ` (${scopes.join(', ') || 'no token'})`;
        const [sentence = ''] = summary.split(/\.(?: |$)/);
        return `- \`${method.toUpperCase()} ${path.replace(PREFIX, '')}\`${needs}: ${sentence}`;
      }),
  );
  return lines.join('\n');
}

/** docs/http-api.md with the list of requests between its two comments. */
export function withRequests(page: string): string {
  if (!LIST.test(page)) {
    throw new Error('docs/http-api.md has no comments around its list of requests');
  }
  return page.replace(LIST, (_, start: string, end: string) => start + apiRequests() + end);
}
