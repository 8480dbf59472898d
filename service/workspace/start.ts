import { Members, type Identity } from '../identity/index.js';
import type { Delivery } from '../delivery/index.js';
import { kindsOf } from '../kernel/events/event.js';
import type { Job } from '../kernel/jobs/jobs.js';
import type { Kernel } from '../kernel/kernel.js';
import { secretKeys } from '../kernel/secret-box.js';
import type { Library } from '../library/index.js';
import { ConnectedApps, WorkspaceClients, type Oauth } from '../oauth/index.js';
import { connectionRoute } from './account-api/connection.js';
import { meRoute } from './account-api/me.js';
import { activityRoutes } from './activity/routes.js';
import { memberRoutes } from './members/routes.js';
import { SECRETS } from './module.js';
import { settingsRoutes } from './settings/routes.js';
import { webhookRoutes } from './webhooks/routes.js';
import { WebhookSender } from './webhooks/webhook-sender.js';
import { WebhookTable } from './webhooks/webhook-table.js';

export function startWorkspace(
  kernel: Kernel,
  identity: Identity,
  oauth: Oauth,
  { devices, open }: Library,
  { logos }: Delivery,
) {
  const { database, now, events, outgoing } = kernel;
  const { audit } = identity;
  const { webhook: key } = secretKeys(kernel.secrets.boxKey, SECRETS);
  const sender = new WebhookSender({ ...kernel, key, policy: outgoing, audit });
  const sending: Job = {
    run: (signal) => sender.run(signal),
    everyMs: 2000,
    isSeparate: true,
  };
  const own = {
    ...kernel,
    ...identity,
    ...oauth,
    connections: new ConnectedApps(database, now, (...renamed) => devices.rename(...renamed)),
    clients: new WorkspaceClients(database, now),
    webhooks: new WebhookTable(database, kindsOf(events), key, now),
    members: new Members(database),
    devices,
    logos,
    open,
  };
  return {
    routes: [
      meRoute(own),
      connectionRoute(own),
      ...memberRoutes(own),
      ...settingsRoutes(own),
      ...activityRoutes(own),
      ...webhookRoutes(own),
    ],
    jobs: [sending],
  };
}
