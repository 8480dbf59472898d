import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listUploads } from '../../support/oauth-client.js';
import type { TestService } from '../../support/running-service.js';
import { head } from '../../support/tus-client.js';

interface Owner {
  readonly accountId: string;
  readonly accessToken: string;
  /** The ids of a finished upload and of one that is not. */
  readonly uploads: { readonly done: string; readonly open: string };
}

/** A user's uploads and other records in the API, the database and on the disk, as one text. */
export async function thingsOf(
  service: TestService,
  { accountId, accessToken, uploads }: Owner,
): Promise<string> {
  const list = await listUploads(service.baseUrl, accessToken);
  const openUrl = `${service.baseUrl}/api/v1/uploads/${uploads.open}`;
  const open = await head(openUrl, accessToken);
  const rows = await service.database.query(
    `SELECT id, size, name, type, metadata, finished_at, sha256, trashed_at, project_id FROM uploads
      WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  const grants = await service.database.query(
    `SELECT client_id, scope FROM consents WHERE account_id = $1 ORDER BY created_at LIMIT 1`,
    [accountId],
  );
  const others = await Promise.all(
    [
      'SELECT id, name, archived_at FROM projects WHERE created_by = $1 ORDER BY id',
      `SELECT id, expires_at, revoked_at, title, message, cover_photo_id, downloads, password_hash
         FROM shares WHERE created_by = $1 ORDER BY id`,
      `SELECT share_answers.* FROM share_answers JOIN uploads ON uploads.id = share_answers.photo_id
        WHERE account_id = $1 ORDER BY share_answers.id`,
      'SELECT id FROM invitations WHERE invited_by = $1 ORDER BY id',
      'SELECT id FROM personal_access_tokens WHERE account_id = $1 ORDER BY id',
      'SELECT workspace_id, role FROM workspace_members WHERE account_id = $1 ORDER BY 1',
      `SELECT name, members_see_all FROM workspaces AS w JOIN workspace_members AS m ON m.workspace_id = w.id
        WHERE account_id = $1`,
      'SELECT display_name, password_hash FROM accounts WHERE id = $1',
    ].map((sql) => service.database.query(sql, [accountId])),
  );
  const files = await Promise.all(
    [uploads.done, uploads.open].map(async (id) => {
      const file = join(service.dataDir, 'uploads', id);
      return readFile(file).then(
        (bytes) => createHash('sha256').update(bytes).digest('hex'),
        () => 'gone',
      );
    }),
  );
  return JSON.stringify({
    list: list.body,
    open: [open.status, open.headers.get('upload-offset')],
    rows,
    grants,
    others,
    files,
  });
}
