import type { PanelPart, ViewContext } from '../../ui/view.js';
import type { Device, DeviceIdentity } from './device.js';

export interface DevicePanel extends PanelPart {
  /** Null before storage was read. */
  readonly state: { readonly device: DeviceIdentity | null };
  readonly context: { readonly actions: { readonly renameDevice: Device['rename'] } };
}

/** The parts that the views of this feature need. */
export type DeviceNeeds = DevicePanel;
export type Context = ViewContext<DeviceNeeds>;
