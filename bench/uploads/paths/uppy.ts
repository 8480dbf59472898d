import Uppy from '@uppy/core';
import Tus from '@uppy/tus';

import type { UploadPath } from './upload-path.js';

/** Uppy with its tus plugin as they come: 20 at once, of which a browser lets six through (HTTP/1.1). */
export const uppy: UploadPath = (files, to) => withLimit(files, to, undefined);

/** The same with as many at once as the others. */
export const uppySameConcurrency: UploadPath = (files, to) => withLimit(files, to, to.concurrency);

function withLimit(
  files: readonly File[],
  to: Parameters<UploadPath>[1],
  limit: number | undefined,
): ReturnType<UploadPath> {
  const all = new Uppy().use(Tus, {
    endpoint: `${to.baseUrl}/api/v1/uploads`,
    headers: { Authorization: `Bearer ${to.accessToken}` },
    ...(limit === undefined ? {} : { limit }),
  });
  all.addFiles(files.map((file) => ({ name: file.name, type: file.type, data: file })));
  return Promise.resolve(async () => {
    const result = await all.upload();
    const sent = result?.successful?.length ?? 0;
    if (sent !== files.length)
      throw new Error(`Uppy sent ${sent} of ${files.length}: ${result?.failed?.[0]?.error ?? ''}`);
  });
}
