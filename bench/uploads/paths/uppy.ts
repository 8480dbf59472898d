import Uppy from '@uppy/core';
import Tus from '@uppy/tus';

import type { UploadPath } from './upload-path.js';

/** Uppy with its tus plugin as they come: 20 at once, of which a browser lets six through (HTTP/1.1). */
export const uppy: UploadPath = (files, to) => {
  const all = new Uppy().use(Tus, {
    endpoint: `${to.baseUrl}/api/v1/uploads`,
    headers: { Authorization: `Bearer ${to.accessToken}` },
  });
  all.addFiles(files.map((file) => ({ name: file.name, type: file.type, data: file })));
  return Promise.resolve(async () => {
    const result = await all.upload();
    const sent = result?.successful?.length ?? 0;
    if (sent !== files.length) {
      throw new Error(`Uppy sent ${sent} of ${files.length}: ${result?.failed?.[0]?.error ?? ''}`);
    }
  });
};
