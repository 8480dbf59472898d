import type { Host, HostInfo } from '../../host/host.js';
import { randomId } from '../../util/random-id.js';
import type { PartSources } from '../../ui/view.js';
import { Device, type DeviceOptions } from './device.js';
import type { DevicePanel } from './panel.js';

interface StartOptions extends Pick<DeviceOptions, 'requests' | 'endpoint' | 'isConnected'> {
  readonly host: Pick<Host, 'records' | 'randomBytes' | 'info'>;
}

export function startDevice({ host, ...options }: StartOptions): {
  readonly device: Device;
  readonly panel: PartSources<DevicePanel>;
} {
  const device = new Device({
    ...options,
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
