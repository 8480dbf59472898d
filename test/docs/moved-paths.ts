/** Paths that documents name before their file has moved there: the new path, and the present one. */
export const MOVED_PATHS: Readonly<Record<string, string>> = {
  'service/app/build-app.ts': 'service/assembly/assemble.ts',
  'service/app/config/': 'service/option-schemas.ts',
  'service/app/jobs.ts': 'service/housekeeping.ts',
  'service/app/routes.ts': 'service/http/route-table.ts',
  'service/auth/accounts/confusables.ts': 'service/accounts/names.ts',
  'service/features/': 'service/photos',
  'service/features/previews/': 'service/thumbnails',
  'service/locales/': 'service/pages/words',
  'service/locales/en.json': 'service/pages/words/en.ts',
  'service/migrations': 'service/database/migrations',
  'service/oauth/tokens/refresh-grant.ts': 'service/oauth/refresh-exchange.ts',
  'service/platform/html/': 'service/pages/html.ts',
  'service/platform/rate-limit/': 'service/limits',
  'src/api/circuit-breaker.ts': 'src/api/gate.ts',
  'src/oauth/device-flow/polling.ts': 'src/oauth/device-polling.ts',
  'src/oauth/session/session.ts': 'src/oauth/session.ts',
  'src/static/locales/': 'src/static/words',
  'src/static/locales/en.json': 'src/static/words/en.json',
  'src/uploads/import/': 'src/uploads/intake.ts',
  'src/uploads/queue/': 'src/uploads/upload-list.ts',
  'src/uploads/queue/upload-queue.ts': 'src/uploads/upload-list.ts',
  'src/uploads/tus/': 'src/uploads/tus-upload.ts',
  'src/util': 'src/base',
  'test/locales.test.ts': 'test/panel/strings.test.ts',
  'src/util/errors.ts': 'src/base/errors.ts',
  'src/util/observable.ts': 'src/base/store.ts',
  'src/util/resolve-url.ts': 'src/base/reference.ts',
  'src/util/url.ts': 'src/base/url.ts',
};

/** Scripts of package.json that documents name before they are there. */
export const NEXT_SCRIPTS: readonly string[] = ['test:all'];
