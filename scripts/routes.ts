import { MAX_BODY_BYTES } from '../service/kernel/http/request/request-body.js';
import type { Route } from '../service/kernel/http/router.js';
import { markdownTable } from './markdown-table.js';
import { CONTENT_ROUTES, SERVICE_ROUTES } from '../test/service/support/service-routes.js';

/** docs/routes.md: one row for each method of each route. A route that has GET has HEAD as well. */
export function routeList(): string {
  return `# Routes

All addresses of the service, with what a request needs. \`npm run generate\` writes this page.

The [pipeline](architecture.md#a-page-request-get-photos) checks the permission and passes the caller to the handler. "Body" is the largest body in bytes.
"Stream" means that the handler reads the body itself. A response marked "file" has no time limit while it makes progress.

## At the base URL

${table(SERVICE_ROUTES)}

## At the separate host of stored files

${table(CONTENT_ROUTES)}
`;
}

function table(routes: readonly Route[]): string {
  const rows = routes.flatMap((route) =>
    Object.entries(route.handlers).map(([method, { permission }]) => [
      method,
      `\`${route.path}\``,
      permission.condition,
      bodyOf(route, method),
      responseOf(route),
    ]),
  );
  return markdownTable([['Method', 'Path', 'Permission', 'Body', 'Response'], ...rows]);
}

function bodyOf(route: Route, method: string): string {
  if (!['POST', 'PUT', 'PATCH'].includes(method)) {
    return '';
  }
  return route.kind === 'upload' ? 'stream' : String(route.maxBodyBytes ?? MAX_BODY_BYTES);
}

function responseOf(route: Route): string {
  if (route.kind === 'api' || route.kind === 'upload') {
    return route.kind === 'api' && route.sendsFile === true ? 'API, file' : 'API';
  }
  return route.sendsFile === true ? 'file' : 'page';
}
