import type { HostInfo } from '../host/host.js';
import type { LoggedError } from './error-log.js';
import type { PanelStores } from './view.js';

type DescribedStores = Pick<
  PanelStores,
  | 'session'
  | 'account'
  | 'signIn'
  | 'queue'
  | 'uploadState'
  | 'summary'
  | 'photos'
  | 'folder'
  | 'device'
  | 'lastReportAt'
>;

export interface DiagnosticsOptions {
  readonly host: HostInfo;
  readonly stores: DescribedStores;
  readonly errors: readonly LoggedError[];
  /** The service's origin. */
  readonly service: string;
  /** Wall-clock times in milliseconds. */
  readonly startedAt: number;
  readonly now: number;
}

/**
 * A short text for support about the plugin's state, always in English. It consists only of kinds, numbers, times,
 * codes, the service's origin, the workspace's id, the name of the computer that the service shows, and the error words
 * and request ids of the service. It cannot contain a user's name, a token, a user_code, a file name or a path. External texts (such as the app's name and
 * versions) are reduced to plain characters.
 */
export function diagnosticsText(options: DiagnosticsOptions): string {
  const { host, stores, errors, service, startedAt, now } = options;
  const { session, account, signIn, queue, summary } = stores;
  const counts = summary.get();
  const folder = stores.folder.get()?.folder;
  const uploads = stores.uploadState.get();
  const failures = countsOf(
    stores.photos
      .get()
      .flatMap(({ record, phase }) =>
        phase === 'failed' ? [record.failure ?? 'without code'] : [],
      ),
  );
  const refused = countsOf(uploads.rejected.map(({ error }) => error.code));
  const requests = queue.get();
  const lines = [
    `Creative Workspace plugin ${plain(host.pluginVersion)}`,
    `App: ${plain(host.appName)} ${plain(host.appVersion)}, platform ${plain(host.platform)}, system ${plain(host.os) || 'unknown'}, language ${plain(host.uiLocale)}`,
    `Service: ${service}`,
    `Time: ${time(now)}, running for ${Math.max(0, Math.round((now - startedAt) / 60_000))} min`,
    `Session: ${stateOf(session.get())}`,
    `Workspace: ${plain(account.get()?.workspace.id ?? '') || 'unknown'}`,
    `Sign-in: ${stateOf(signIn.get())}`,
    `Requests: ${requests.kind === 'waiting' ? `waiting after ${requests.error.code}, next try ${time(requests.until)}` : 'passing'}`,
    `Uploads: ${uploads.paused ? 'paused' : 'running'}; waiting ${counts.waiting}, uploading ${counts.uploading}, uploaded ${counts.uploaded}, failed ${counts.failed}${failures}; ${counts.sentBytes} of ${counts.totalBytes} bytes`,
    ...computerLine(stores),
    `Adding: ${uploads.adding ? `${uploads.adding.done} of ${uploads.adding.total}` : 'nothing'}; refused ${uploads.rejected.length}${refused}`,
    `Folder: ${folder ? (folder.error?.code ?? 'watched') : 'none'}`,
    `Storage: ${uploads.storageError?.code ?? 'fine'}`,
    `Open question: ${uploads.question ? `${uploads.question.photos} files` : 'none'}`,
    errors.length === 0 ? 'Last errors: none' : 'Last errors:',
    ...errors.map(errorLine),
  ];
  return `${lines.join('\n')}\n`;
}

/** Which computer it is on the pages of the service, and when it last reported what waits. */
function computerLine({ device, lastReportAt }: DescribedStores): string[] {
  const known = device.get();
  if (!known) {
    return [];
  }
  const lastAt = lastReportAt.get();
  const report = lastAt === null ? 'nothing reported' : `reported ${time(lastAt)}`;
  return [`Computer: ${known.shortId} (${plain(known.name)}), ${report}`];
}

function errorLine({ at, code, status, oauthError, requestId }: LoggedError): string {
  const details = [
    ...(status === null ? [] : [`status ${status}`]),
    ...(oauthError === null ? [] : [oauthError]),
    ...(requestId === null ? [] : [`request ${requestId}`]),
  ];
  return `  ${[time(at), code, ...details].join(' ')}`;
}

/** The kind of a state, and the codes of the errors in it. */
function stateOf(
  state: ReturnType<PanelStores['session']['get']> | ReturnType<PanelStores['signIn']['get']>,
): string {
  const codes: string[] = [];
  if ('error' in state) {
    codes.push(state.error.code);
  }
  if ('trouble' in state && state.trouble) {
    codes.push(state.trouble.code);
  }
  if ('browserError' in state && state.browserError) {
    codes.push(state.browserError.code);
  }
  return [state.kind, ...codes].join(' ');
}

function countsOf(codes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const code of codes) {
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const texts = [...counts].map(([code, count]) => `${code}: ${count}`);
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

function time(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString();
}

function plain(text: string): string {
  return text
    .replace(/[^\w .+()-]/g, '')
    .replace(/ +/g, ' ')
    .slice(0, 60);
}
