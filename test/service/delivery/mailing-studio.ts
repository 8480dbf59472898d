import type { ServiceOptions } from '../../../service/start.js';
import { startMailServer, type MailServer } from '../support/mail-server.js';
import { startTestService, type TestService } from '../support/running-service.js';
import { addSharedPhotos, type SharedPhotos } from './shares/sharing.js';

export interface MailingStudio extends SharedPhotos {
  readonly service: TestService;
  /** Receives the mails of the service. */
  readonly mail: MailServer;
  close(): Promise<void>;
}

/** Starts a service that sends mail, with photos of a member who has a confirmed address. */
export async function startMailingStudio(options: Partial<ServiceOptions>): Promise<MailingStudio> {
  const mail = await startMailServer();
  const service = await startTestService({
    ...options,
    mail: { smtpUrl: mail.url, from: 'North Studio <mail@studio.example>' },
  });
  const photos = await addSharedPhotos(service);
  await service.database.query(
    `UPDATE accounts SET email = 'member@studio.example', email_confirmed_at = now() WHERE id = $1`,
    [photos.member.accountId],
  );
  return {
    ...photos,
    service,
    mail,
    close: async () => {
      await service.close();
      await mail.close();
    },
  };
}
