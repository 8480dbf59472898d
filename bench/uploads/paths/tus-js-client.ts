import { Upload } from 'tus-js-client';

import { eachOf, type UploadPath } from './upload-path.js';

/** tus-js-client as it comes; it has no queue, so several run at once from outside. */
export const tusJsClient: UploadPath = (files, to) =>
  Promise.resolve(() =>
    eachOf(
      files,
      to.concurrency,
      (file) =>
        new Promise((resolve, reject) => {
          new Upload(file, {
            endpoint: `${to.baseUrl}/api/v1/uploads`,
            headers: { Authorization: `Bearer ${to.accessToken}` },
            metadata: { filename: file.name, filetype: file.type },
            onSuccess: () => {
              resolve();
            },
            onError: reject,
          }).start();
        }),
    ),
  );
