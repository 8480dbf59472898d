import type { Connection } from '../../account/connection.js';
import type { Host, HostInfo } from '../../host/host.js';
import { randomId } from '../../util/random-id.js';
import type { PartSources } from '../../ui/view.js';
import { Device } from './device.js';
import type { DevicePanel } from './panel.js';

export function startDevice(
  host: Pick<Host, 'records' | 'randomBytes' | 'info'>,
  { requests, api, isConnected }: Pick<Connection, 'requests' | 'api' | 'isConnected'>,
): {
  readonly device: Device;
  readonly panel: PartSources<DevicePanel>;
} {
  const device = new Device({
    requests,
    endpoint: `${api}/connection`,
    isConnected,
    records: host.records,
    newId: () => randomId(host.randomBytes),
    kind: computerKind(host.info),
  });
  return {
    device,
    panel: {
      state: { device: device.state },
      context: { actions: { renameDevice: (name) => device.rename(name) } },
    },
  };
}

function computerKind({ os, appName }: HostInfo): string {
  return os.startsWith('macOS') ? 'Mac' : os.startsWith('Windows') ? 'Windows PC' : appName;
}
